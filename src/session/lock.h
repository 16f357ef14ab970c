/*
 * Runs of one user that share a session daemon which PInsight started.
 *
 * Three lock files lie in LTTng's run directory, so that whoever can reach a daemon finds its
 * locks: pinsight-turn   held (exclusive) while somebody makes or ends a session. A session daemon
 * serves its clients one after the other: many at once would keep each other waiting for so long
 * that a daemon at work could not be told from one that hangs. Its text is the process of a daemon
 * that gave no answer, if the last one found it so. pinsight-gate   held (exclusive) while somebody
 * looks for, starts or stops a daemon pinsight-users  held (shared) by every keeper that uses a
 * daemon which PInsight started; its text is that daemon's process. Who can have it exclusively is
 * alone. They are flock(2) locks: the kernel gives them back when their holder dies. The last one
 * out removes all files.
 */
#ifndef PINSIGHT_SESSION_LOCK_H
#define PINSIGHT_SESSION_LOCK_H

#include <stdbool.h>

#include "base/process.h"

struct pinsight_locks {
    int turn; /* descriptors, -1 when closed */
    int gate;
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

/* Takes the gate, waiting at most so long; makes the run directory if it is not there. */
bool pinsight_locks_enter(struct pinsight_locks *locks, int patience_ms);
void pinsight_locks_leave(struct pinsight_locks *locks);

/* With the gate: which daemon did PInsight start? pid 0 if none, or if it is gone. */
struct pinsight_proc pinsight_locks_read_daemon(struct pinsight_locks *locks);
/* With the gate: notes the daemon that was started. */
bool pinsight_locks_write_daemon(struct pinsight_locks *locks, const struct pinsight_proc *daemon);

/* With the gate: becomes a user of the daemon. Kept until pinsight_locks_close. */
bool pinsight_locks_use(struct pinsight_locks *locks);
/*
 * With the gate: is nobody else a user? If so the users' lock is held exclusively afterwards, else
 * not at all: who asks this is no user any more.
 */
bool pinsight_locks_alone(struct pinsight_locks *locks);

/* Is no user any more. */
void pinsight_locks_unuse(struct pinsight_locks *locks);

/* With the gate, and alone: removes the files, that of the turn if nobody waits for it. */
void pinsight_locks_remove(struct pinsight_locks *locks);

/* Gives everything back, and removes the files if there is nobody else and no daemon of PInsight's.
 */
void pinsight_locks_close(struct pinsight_locks *locks);

#endif
