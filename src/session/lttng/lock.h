/*
 * Runs of one user that share a session daemon of PInsight.
 *
 * Three lock files are in LTTng's run directory. A process that can reach a daemon therefore finds
 * its locks:
 *
 *   pinsight-turn   held (exclusive) while a run makes or ends a session. A session daemon serves
 * its clients one after the other. With many clients at once, each would wait so long that a busy
 * daemon could not be distinguished from one that hangs. The text is the process of a daemon that
 * gave no answer. pinsight-start  held (exclusive) while a run looks for, starts or stops a daemon.
 *   pinsight-users  held (shared) by every supervisor that uses a daemon of PInsight. The text is
 *                   that daemon's process. A run that gets the lock exclusively is alone.
 *
 * They are flock(2) locks: the kernel releases them when their holder dies. The last run removes
 * the files.
 */
#ifndef PINSIGHT_SESSION_LTTNG_LOCK_H
#define PINSIGHT_SESSION_LTTNG_LOCK_H

#include <stdbool.h>

#include "base/process.h"

struct pinsight_locks {
    int turn; /* descriptors; -1 when closed */
    int start;
    int users;
};

void pinsight_locks_init(struct pinsight_locks *locks);

/*
 * Waits for the turn of this run, in the order of arrival (kept by Linux 5.0 and later), for at
 * most `patience_ms`. Returns false if it did not come. The turn ends with
 * pinsight_locks_end_turn(), or with this process.
 */
bool pinsight_locks_take_turn(struct pinsight_locks *locks, int patience_ms);
void pinsight_locks_end_turn(struct pinsight_locks *locks);

/* Returns the daemon that gave the last run no answer; pid 0 if there is none, or if it is gone.
 * Called in this run's turn. */
struct pinsight_proc pinsight_locks_read_silent(const struct pinsight_locks *locks);
/* Notes such a daemon; NULL: none. Called in this run's turn. */
void pinsight_locks_write_silent(const struct pinsight_locks *locks,
                                 const struct pinsight_proc *daemon);

/* Takes the start lock, and makes the run directory if necessary. Waits at most `patience_ms`. */
bool pinsight_locks_enter(struct pinsight_locks *locks, int patience_ms);
void pinsight_locks_leave(struct pinsight_locks *locks);

/* Returns the daemon that PInsight started; pid 0 if there is none, or if it is gone. The caller
 * holds the start lock. */
struct pinsight_proc pinsight_locks_read_daemon(struct pinsight_locks *locks);
/* Notes the daemon that was started. The caller holds the start lock. */
bool pinsight_locks_write_daemon(struct pinsight_locks *locks, const struct pinsight_proc *daemon);

/* Becomes a user of the daemon, until pinsight_locks_close(). The caller holds the start lock. */
bool pinsight_locks_use(struct pinsight_locks *locks);
/*
 * Returns whether there is no other user. If so, this run then holds the users' lock exclusively,
 * otherwise not at all: it ceases to be a user. The caller holds the start lock.
 */
bool pinsight_locks_alone(struct pinsight_locks *locks);

/* Ceases to be a user. */
void pinsight_locks_unuse(struct pinsight_locks *locks);

/* Removes the files; that of the turn only if no run waits for it. The caller holds the start lock
 * and is alone. */
void pinsight_locks_remove(struct pinsight_locks *locks);

/* Releases everything. Removes the files if there is no other user and no daemon of PInsight. */
void pinsight_locks_close(struct pinsight_locks *locks);

#endif
