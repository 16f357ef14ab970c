/*
 * The lock for which a thread waits, without the GIL.
 *
 * Up to early releases of 3.13, a lock of the program is a semaphore. From 3.14 on, and in later
 * releases of 3.13, it is a byte in the lock object; in 3.13, a recursive lock still is a
 * semaphore. A thread that has to wait for a byte parks with a semaphore on its own stack, right
 * behind the address of that byte (Python/parking_lot.c, struct wait_entry).
 */
#ifndef PINSIGHT_CPYTHON_PARKED_H
#define PINSIGHT_CPYTHON_PARKED_H

#include "tracer/python/versions.h"

#include <semaphore.h>

#define PINSIGHT_LOCKS_ARE_PARKED_ON (PY_VERSION_HEX >= 0x030d0000)

#if PINSIGHT_LOCKS_ARE_PARKED_ON

struct pinsight_parked {
    /* Argument of the waking thread. NULL if it is no lock, for example the end of a thread. */
    void *argument;
    uintptr_t address;
    sem_t semaphore;
};

/* Returns whether the semaphore is on the stack of the calling thread, which is about to wait for
 * it. */
static inline bool pinsight_semaphore_is_parked(const sem_t *semaphore) {
    enum { NEAR = 64 * 1024 };
    return (uintptr_t)semaphore - (uintptr_t)__builtin_frame_address(0) < NEAR;
}

#endif

/* Returns the address of the lock for which the calling thread is about to wait with a semaphore.
 * It is the address of the semaphore if the semaphore is the lock, or if the thread waits for no
 * lock. */
static inline uintptr_t pinsight_lock_waited_for(const sem_t *semaphore) {
#if PINSIGHT_LOCKS_ARE_PARKED_ON
    const struct pinsight_parked *parked =
        (const void *)((uintptr_t)semaphore - offsetof(struct pinsight_parked, semaphore));
    if (pinsight_semaphore_is_parked(semaphore) && parked->argument && parked->address)
        return parked->address;
#endif
    return (uintptr_t)semaphore;
}

/* Returns whether a semaphore that the calling thread initialises only serves to wait, and is no
 * new lock. */
static inline bool pinsight_semaphore_is_to_wait_with(const sem_t *semaphore) {
#if PINSIGHT_LOCKS_ARE_PARKED_ON
    return pinsight_lock_waited_for(semaphore) != (uintptr_t)semaphore;
#else
    (void)semaphore;
    return false;
#endif
}

#endif
