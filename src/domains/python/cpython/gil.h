/*
 * The GIL, found by the condition variable that a thread waits on: take_gil() waits in
 * pthread_cond_timedwait() until it is let go, drop_gil() in pthread_cond_wait() until another
 * thread has it. The caller of either holds the mutex that goes with the condition variable.
 */
#ifndef PINSIGHT_CPYTHON_GIL_H
#define PINSIGHT_CPYTHON_GIL_H

#define Py_BUILD_CORE 1
#include "domains/python/versions.h"

#undef _PyGC_FINALIZED
#if PY_VERSION_HEX < 0x03090000
#include <internal/pycore_pystate.h>
#elif PY_VERSION_HEX < 0x030c0000
#include <internal/pycore_runtime.h>
#else
#include <internal/pycore_interp.h>
#endif

#include "domains/python/cpython/frame.h"

typedef struct _gil_runtime_state pinsight_gil;

/* The main interpreter's; NULL in a build that has none. */
static inline pinsight_gil *pinsight_gil_main(void) {
#ifdef Py_GIL_DISABLED
    return NULL;
#elif PY_VERSION_HEX < 0x030c0000
    return &_PyRuntime.ceval.gil;
#else
    return PyInterpreterState_Main()->ceval.gil;
#endif
}

/* The GIL that is waited for with these two, NULL where they are none's: they lie in it beside each
 * other. */
static inline pinsight_gil *pinsight_gil_of(const pthread_cond_t *cond,
                                            const pthread_mutex_t *mutex) {
    pinsight_gil *gil = (pinsight_gil *)((uintptr_t)cond - offsetof(pinsight_gil, cond));
    return &gil->mutex == mutex ? gil : NULL;
}
static inline pinsight_gil *pinsight_gil_of_switch(const pthread_cond_t *cond,
                                                   const pthread_mutex_t *mutex) {
    pinsight_gil *gil = (pinsight_gil *)((uintptr_t)cond - offsetof(pinsight_gil, switch_cond));
    return &gil->switch_mutex == mutex ? gil : NULL;
}

/* The thread that has it, or had it last. Who holds the GIL's mutex may look at it: it cannot let
 * go. */
static inline const PyThreadState *pinsight_gil_holder(const pinsight_gil *gil) {
    return *(const PyThreadState *const volatile *)&gil->last_holder;
}

/* Is it taken? Mutex held. */
static inline bool pinsight_gil_is_taken(const pinsight_gil *gil) {
    return *(const volatile int *)&gil->locked == 1;
}

/* How often it went from one thread to another. */
static inline unsigned long pinsight_gil_switches(const pinsight_gil *gil) {
    return *(const volatile unsigned long *)&gil->switch_number;
}

/* Is it the state of a thread of the running interpreter? Holds the GIL. */
static inline bool pinsight_gil_is_thread(const PyThreadState *state) {
    PyThreadState *at = PyInterpreterState_ThreadHead(PyThreadState_Get()->interp);
    while (at && at != state)
        at = PyThreadState_Next(at);
    return at != NULL;
}

/* The OS thread id, as far as the thread's state has it; 0 else. */
static inline uint32_t pinsight_gil_tid(const PyThreadState *state) {
#if PY_VERSION_HEX >= 0x030b0000
    return (uint32_t)state->native_thread_id;
#else
    (void)state;
    return 0;
#endif
}

/* The innermost frame that runs a function, from `frame` on; NULL without. */
static inline const pinsight_frame *pinsight_gil_frame(const pinsight_frame *frame) {
    while (frame && (pinsight_frame_is_internal(frame) ||
                     !pinsight_frame_counts(pinsight_frame_code(frame), pinsight_frame_at(frame),
                                            pinsight_frame_is_of_generator(frame))))
        frame = pinsight_frame_caller(frame);
    return frame;
}

#endif
