/* The process that admits the processes of a run to its session (format/lttng/join.h). */
#ifndef PINSIGHT_SESSION_LTTNG_TRACKER_H
#define PINSIGHT_SESSION_LTTNG_TRACKER_H

#include <sys/types.h>

#include "session/lttng/supervisor.h"

struct pinsight_tracker {
    pid_t pid;
    /* name of the socket and the secret: the value of PINSIGHT_JOIN */
    char name[PINSIGHT_JOIN_MAX];
    int counts; /* file in which processes count (counts.h), owned by the caller; -1: none */
};

/*
 * Starts the tracker for a session. It ends with this process, or with pinsight_tracker_stop(). A
 * tracker that is started again for the same session keeps the secret, which its processes have. It
 * is a process of its own, because a call of the session daemon may hang. Returns 0 or an errno.
 *
 * The tracker admits a process that sends the secret, and that belongs to this user. (For root it
 * may belong to any user, because programs of root become other users.) The process's number must
 * be the one that the kernel reports for its own namespace.
 */
int pinsight_tracker_start(struct pinsight_tracker *tracker, const char *session_name,
                           const char *output);
void pinsight_tracker_stop(struct pinsight_tracker *tracker);

#endif
