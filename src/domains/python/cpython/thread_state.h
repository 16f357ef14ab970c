/*
 * The thread state that runs in this thread, without a call, CPython 3.12 and later.
 *
 * The interpreter keeps it in a thread-local variable, which it does not export. The variable lies
 * at one distance from the thread pointer in all threads where its module's variables are in the
 * static TLS block: so it is for an executable, and for a libpython that was there when the process
 * began (ELF Handling For Thread-Local Storage, section 3). The distance is found by its value.
 */
#ifndef PINSIGHT_CPYTHON_THREAD_STATE_H
#define PINSIGHT_CPYTHON_THREAD_STATE_H

#include "domains/python/versions.h"

#if PINSIGHT_IS_PLAIN

static inline void pinsight_thread_state_find(void) {
}

#elif PINSIGHT_HAS_MONITORING

#include <stddef.h>

/* The distance in bytes; 0 where it is not known. */
extern ptrdiff_t pinsight_thread_state_distance __attribute__((visibility("hidden")));

/*
 * Finds the distance in the first thread that calls it, and makes sure of it in every other one,
 * before it is used there. Where it does not hold it is not known from then on. The thread must
 * hold the GIL; the first one may let go of it for a moment.
 */
void pinsight_thread_state_find(void);

/* The calling thread's, by that distance, which is known. The thread must hold the GIL. */
static inline PyThreadState *pinsight_thread_state_at(ptrdiff_t distance) {
    PyThreadState *state = NULL;
#if defined(__x86_64__)
    __asm__ volatile("movq %%fs:(%1), %0" : "=r"(state) : "r"(distance));
#elif defined(__aarch64__)
    const char *pointer;
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(pointer));
    state = *(PyThreadState *const volatile *)(pointer + distance);
#else
    (void)distance;
#endif
    return state;
}

#endif

#endif
