/*
 * Waits for locks of the interpreter: threading's, those of queues and pools, joins. A thread waits
 * for a semaphore, which is the lock or stands for it (cpython/parked.h); one that stands for no
 * lock, as of a join from 3.13 on, lives as long as the wait. A thread that has to wait records
 * that (lock_wait_begin, lock_wait_end), without the GIL: nothing of the interpreter is held then.
 * Who lets go of one that a thread waits for records that, too (lock_release). Where a lock was
 * made is kept in mind, and recorded when a thread waits for it first (lock_made).
 */
#ifndef PINSIGHT_PYTHON_LOCKS_H
#define PINSIGHT_PYTHON_LOCKS_H

#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

/* For the shim: as the functions of libc, called by the interpreter. */
int pinsight_lock_wait(sem_t *lock);
int pinsight_lock_timedwait(sem_t *lock, const struct timespec *until);
int pinsight_lock_clockwait(sem_t *lock, clockid_t clock, const struct timespec *until);
int pinsight_lock_post(sem_t *lock);
int pinsight_lock_init(sem_t *lock, int shared, unsigned value);
int pinsight_lock_destroy(sem_t *lock);

/* Waits are recorded from now on, or no more. Holds the GIL. */
void pinsight_locks_note(bool on);

/* In a forked child. */
void pinsight_locks_fork_child(void);

#endif
