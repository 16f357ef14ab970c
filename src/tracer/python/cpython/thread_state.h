/*
 * The thread state that runs in this thread, without a call, CPython 3.12 and later.
 *
 * The interpreter has it in a thread-local variable, which it does not export. If the variables of
 * its module are in the static TLS block, the variable has the same distance from the thread
 * pointer in all threads. That is so for an executable, and for a libpython that was loaded at the
 * process's start (ELF Handling For Thread-Local Storage, section 3). The distance is found by the
 * variable's value.
 */
#ifndef PINSIGHT_CPYTHON_THREAD_STATE_H
#define PINSIGHT_CPYTHON_THREAD_STATE_H

#include "tracer/python/versions.h"

#if PINSIGHT_IS_PLAIN

static inline void pinsight_thread_state_find(void) {
}

#elif PINSIGHT_HAS_MONITORING

#include <stddef.h>

/* The distance in bytes; 0 if it is not known. */
extern ptrdiff_t pinsight_thread_state_distance __attribute__((visibility("hidden")));

/*
 * Finds the distance in the first thread that calls it, and checks it in every other thread before
 * its use there. If the check fails, the distance is unknown from then on. Holds the GIL; the first
 * thread may release it for a moment.
 */
void pinsight_thread_state_find(void);

/* Returns the calling thread's state by the known distance. Holds the GIL. */
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
