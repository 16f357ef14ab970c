/* The creation and the end of the program's lock objects, in versions in which a lock is no
 * semaphore (parked.h). */
#ifndef PINSIGHT_CPYTHON_LOCK_OBJECTS_H
#define PINSIGHT_CPYTHON_LOCK_OBJECTS_H

#include "tracer/python/cpython/parked.h"

/* Functions that are called with the address of a lock, as pinsight_lock_waited_for() gives it.
 * They hold the GIL. */
struct pinsight_lock_observer {
    void (*made)(uintptr_t address);
    void (*gone)(uintptr_t address);
};

/* Begins to call the observer, for good. Later calls do nothing, and no call does anything if a
 * lock is a semaphore. Holds the GIL. Sets no exception. */
#if PINSIGHT_LOCKS_ARE_PARKED_ON
void pinsight_lock_objects_observe(const struct pinsight_lock_observer *observer);
#else
static inline void pinsight_lock_objects_observe(const struct pinsight_lock_observer *observer) {
    (void)observer;
}
#endif

#endif
