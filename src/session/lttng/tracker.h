/* The process that lets the processes of a run into its session (record/lttng/join.h). */
#ifndef PINSIGHT_SESSION_LTTNG_TRACKER_H
#define PINSIGHT_SESSION_LTTNG_TRACKER_H

#include <sys/types.h>

#include "session/lttng/supervisor.h"

struct pinsight_tracker {
    pid_t pid;
    char name[PINSIGHT_JOIN_MAX]; /* of the socket, and the secret: what goes into PINSIGHT_JOIN */
    int counts; /* the file in which processes count (counts.h), -1 without one; its owner's */
};

/*
 * Starts it for the session of that name; it ends with this process, or with pinsight_tracker_stop.
 * One that is started again for the same session keeps the secret that its processes have. It is a
 * process of its own because the session daemon may hang while it is asked. Returns 0, or an errno.
 *
 * Let in is who sends the secret, of this user (of any user if that is root, as programs of root's
 * become others), under the number that the kernel says the process has in its own namespace.
 */
int pinsight_tracker_start(struct pinsight_tracker *tracker, const char *session_name,
                           const char *output);
void pinsight_tracker_stop(struct pinsight_tracker *tracker);

#endif
