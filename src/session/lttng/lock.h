/*
 * Runs of one user that share a session daemon which PInsight started.
 *
 * Three lock files lie in LTTng's run directory. Whoever can reach a daemon thus finds its locks:
 *
 *   pinsight-turn   held (exclusive) while a run makes or ends a session. A session daemon serves
 * its clients one after the other. Many clients at once would wait so long that a busy daemon could
 * not be told from one that hangs. If a daemon gave no answer, the file's text is the number of its
 * process. pinsight-start  held (exclusive) while a run looks for, starts or stops a daemon.
 *   pinsight-users  held (shared) by every supervisor that uses a daemon which PInsight started.
 * The file's text is that daemon's process. A run that gets it exclusively is alone.
 *
 * They are flock(2) locks: the kernel releases them when their holder dies. The last run that
 * leaves removes the files.
 */
#ifndef PINSIGHT_SESSION_LTTNG_LOCK_H
#define PINSIGHT_SESSION_LTTNG_LOCK_H

#include <stdbool.h>

#include "base/process.h"

struct pinsight_locks {
    int turn; /* descriptors, -1 when closed */
    int start;
    int users;
};

void pinsight_locks_init(struct pinsight_locks *locks);

/*
 * Waits for our turn, in the order of coming (the kernel keeps it, from Linux 5.0 on), for at most
 * so long; false if it did not come. It ends with pinsight_locks_end_turn, or with this process.
 */
bool pinsight_locks_take_turn(struct pinsight_locks *locks, int patience_ms);
void pinsight_locks_end_turn(struct pinsight_locks *locks);

/* In our turn: which daemon gave no answer to the last one? pid 0 if none, or if it is gone. */
struct pinsight_proc pinsight_locks_read_silent(const struct pinsight_locks *locks);
/* In our turn: notes it; NULL: there is none. */
void pinsight_locks_write_silent(const struct pinsight_locks *locks,
                                 const struct pinsight_proc *daemon);

/* Takes the start lock, waiting at most so long; makes the run directory if it is not there. */
bool pinsight_locks_enter(struct pinsight_locks *locks, int patience_ms);
void pinsight_locks_leave(struct pinsight_locks *locks);

/* With the start lock: which daemon did PInsight start? pid 0 if none, or if it is gone. */
struct pinsight_proc pinsight_locks_read_daemon(struct pinsight_locks *locks);
/* With the start lock: notes the daemon that was started. */
bool pinsight_locks_write_daemon(struct pinsight_locks *locks, const struct pinsight_proc *daemon);

/* With the start lock: becomes a user of the daemon. Kept until pinsight_locks_close. */
bool pinsight_locks_use(struct pinsight_locks *locks);
/*
 * With the start lock: is nobody else a user? If so the users' lock is held exclusively afterwards,
 * else not at all: who asks this is no user any more.
 */
bool pinsight_locks_alone(struct pinsight_locks *locks);

/* Is no user any more. */
void pinsight_locks_unuse(struct pinsight_locks *locks);

/* With the start lock, and alone: removes the files, that of the turn if nobody waits for it. */
void pinsight_locks_remove(struct pinsight_locks *locks);

/* Gives everything back, and removes the files if there is nobody else and no daemon of PInsight's.
 */
void pinsight_locks_close(struct pinsight_locks *locks);

#endif
