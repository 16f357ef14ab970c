/*
 * Waits for the interpreter's locks: those of threading, queues and pools, and joins. A thread
 * waits with a semaphore, which either is the lock or belongs to it (cpython/parked.h). A semaphore
 * of no lock, as for a join from 3.13 on, lives as long as the wait.
 *
 * The waiting thread records the wait (lock_wait_begin, lock_wait_end) without the GIL, because it
 * holds nothing of the interpreter then. The thread that releases a lock that others wait for
 * records the release (lock_release). The place where a lock was made is noted, and recorded with
 * the first wait for the lock (lock_made).
 */
#ifndef PINSIGHT_PYTHON_LOCKS_H
#define PINSIGHT_PYTHON_LOCKS_H

#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

/* Replacements of libc's functions, for the shim. The interpreter calls them. */
int pinsight_lock_wait(sem_t *lock);
int pinsight_lock_timedwait(sem_t *lock, const struct timespec *until);
int pinsight_lock_clockwait(sem_t *lock, clockid_t clock, const struct timespec *until);
int pinsight_lock_post(sem_t *lock);
int pinsight_lock_init(sem_t *lock, int shared, unsigned value);
int pinsight_lock_destroy(sem_t *lock);

/* Begins or ends the recording of waits. Holds the GIL. */
void pinsight_locks_note(bool on);

/* Resets the state in a forked child. */
void pinsight_locks_fork_child(void);

#endif
