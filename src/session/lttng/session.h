/*
 * The LTTng session of a run, from its creation to its end.
 *
 * Unless stated otherwise, a function talks to the session daemon in a process of its own
 * (base/timeout.h), so that a daemon that hangs does not block the caller.
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
    bool registry;         /* Python's events go to the channel "registry" */
    bool lossless;
    bool tracked;         /* only processes of pinsight_session_track() are recorded */
    uint64_t buffer_size; /* bytes of a sub-buffer; 0: choose */
    uint64_t file_limit;  /* largest size of a daemon's file in bytes; 0: unlimited */
};

/* In a result, `error` is 0, a positive LTTng error code, or -1 if the daemon did not answer. */

/* Creates the session with its channels and starts it. Undoes everything if a step fails. */
void pinsight_session_create(const struct pinsight_session *session,
                             struct pinsight_session_result *result);

/*
 * Stops recording, waits until all data is on disk, and gets the numbers of discarded events.
 * Afterwards the trace can be read.
 */
void pinsight_session_stop(const struct pinsight_session *session,
                           struct pinsight_session_result *result);

/*
 * Destroys the session and waits until the daemon has freed everything of it (half a second). Calls
 * listed_no_more(listener) as soon as the session has left the daemon's list.
 */
void pinsight_session_destroy(const struct pinsight_session *session,
                              void (*listed_no_more)(void *listener), void *listener,
                              struct pinsight_session_result *result);

/*
 * Adds a process to those that a tracked session records. For a registered process it takes effect
 * at once. Talks to the daemon in this process, and may hang. Returns 0 or -1.
 */
int pinsight_session_track(const char *session_name, pid_t pid);

/* Returns whether the daemon answers within `patience_ms`. Returns true if there is no daemon. */
bool pinsight_session_daemon_answers(int patience_ms);

/*
 * Returns the number of sessions in the daemon whose name does not begin with "pinsight-", or -1 if
 * the daemon does not answer.
 */
int pinsight_session_count_foreign(void);

#endif
