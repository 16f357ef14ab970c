/*
 * The lock that a thread waits for, which holds no GIL then.
 *
 * Up to 3.13 a lock of the program's is a semaphore. From 3.14 on it is a byte in the lock object.
 * Who has to wait for it parks: with a semaphore of its own on its stack, right behind the address
 * of that byte (Python/parking_lot.c, struct wait_entry).
 */
#ifndef PINSIGHT_CPYTHON_PARKED_H
#define PINSIGHT_CPYTHON_PARKED_H

#include "domains/python/versions.h"

#include <semaphore.h>

#define PINSIGHT_LOCKS_ARE_PARKED_ON (PY_VERSION_HEX >= 0x030e0000)

#if PINSIGHT_LOCKS_ARE_PARKED_ON

struct pinsight_parked {
    void
        *argument; /* of who wakes it; NULL where it is no lock, but the end of a thread and such */
    uintptr_t address;
    sem_t semaphore;
};

/* Is it on the stack of the calling thread, which is about to wait for it? */
static inline bool pinsight_semaphore_is_parked(const sem_t *semaphore) {
    enum { NEAR = 64 * 1024 };
    return (uintptr_t)semaphore - (uintptr_t)__builtin_frame_address(0) < NEAR;
}

#endif

/* The address of the lock for which the calling thread is about to wait with this semaphore: that
 * of the semaphore itself where it is the lock, or where it waits for no lock. */
static inline uintptr_t pinsight_lock_waited_for(const sem_t *semaphore) {
#if PINSIGHT_LOCKS_ARE_PARKED_ON
    const struct pinsight_parked *parked =
        (const void *)((uintptr_t)semaphore - offsetof(struct pinsight_parked, semaphore));
    if (pinsight_semaphore_is_parked(semaphore) && parked->argument && parked->address)
        return parked->address;
#endif
    return (uintptr_t)semaphore;
}

/* Is a semaphore that the calling thread initialises a lock that it makes, or one to wait with? */
static inline bool pinsight_semaphore_is_to_wait_with(const sem_t *semaphore) {
#if PINSIGHT_LOCKS_ARE_PARKED_ON
    return pinsight_lock_waited_for(semaphore) != (uintptr_t)semaphore;
#else
    (void)semaphore;
    return false;
#endif
}

#endif
