/*
 * An LTTng session of one run, from its creation to its end.
 *
 * Everything here talks to the session daemon in a process of its own (base/timeout.h), so that a
 * daemon that hangs holds nobody.
 */
#ifndef PINSIGHT_SESSION_LTTNG_SESSION_H
#define PINSIGHT_SESSION_LTTNG_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "session/lttng/supervisor.h"

struct pinsight_session {
    char name[PINSIGHT_SESSION_NAME_MAX];
    char output[PATH_MAX]; /* absolute; the CTF trace goes below it */
    bool registry;         /* Python's events go into the channel "registry" */
    bool lossless;
    bool tracked;         /* only processes that pinsight_session_track names are recorded */
    uint64_t buffer_size; /* of one sub-buffer, 0: choose */
    uint64_t file_limit;  /* bytes that a file of the daemon's may have, 0: any number */
};

/* Of a result, `error` is 0, or a positive LTTng error code; -1: the daemon did not answer. */

/* Creates the session with its channels and starts it; undoes everything if a step fails. */
void pinsight_session_create(const struct pinsight_session *session,
                             struct pinsight_session_result *result);

/*
 * Stops recording and waits until everything is on disk, then asks what was dropped. Afterwards the
 * trace can be read.
 */
void pinsight_session_stop(const struct pinsight_session *session,
                           struct pinsight_session_result *result);

/*
 * Destroys the session and waits until the daemon has freed everything of it (half a second).
 * `listed_no_more(listener)` is called as soon as the session has gone from the daemon's list.
 */
void pinsight_session_destroy(const struct pinsight_session *session,
                              void (*listed_no_more)(void *listener), void *listener,
                              struct pinsight_session_result *result);

/*
 * Adds a process to those that a tracked session records; takes effect at once for one that has
 * registered. Talks to the daemon in this process: may hang. Returns 0, or -1.
 */
int pinsight_session_track(const char *session_name, pid_t pid);

/* Does the daemon answer within that time? Also true where there is none. */
bool pinsight_session_daemon_answers(int patience_ms);

/*
 * The number of sessions in the daemon whose name does not begin with "pinsight-"; -1 if the daemon
 * does not answer.
 */
int pinsight_session_count_foreign(void);

#endif
