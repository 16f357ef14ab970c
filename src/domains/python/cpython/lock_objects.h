/* Lock objects of the program's, as they are made and as they go, where a lock is no semaphore
 * (parked.h). */
#ifndef PINSIGHT_CPYTHON_LOCK_OBJECTS_H
#define PINSIGHT_CPYTHON_LOCK_OBJECTS_H

#include "domains/python/cpython/parked.h"

/* What is called with the address of a lock, as pinsight_lock_waited_for() gives it. Holds the GIL.
 */
struct pinsight_lock_observer {
    void (*made)(uintptr_t address);
    void (*gone)(uintptr_t address);
};

/* The observer is told from now on, for good. A second call does nothing, and so does each where a
 * lock is a semaphore. Holds the GIL; sets no exception. */
#if PINSIGHT_LOCKS_ARE_PARKED_ON
void pinsight_lock_objects_observe(const struct pinsight_lock_observer *observer);
#else
static inline void pinsight_lock_objects_observe(const struct pinsight_lock_observer *observer) {
    (void)observer;
}
#endif

#endif
