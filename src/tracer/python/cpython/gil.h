/*
 * The GIL, found by the condition variable that a thread waits on. The function take_gil() waits in
 * pthread_cond_timedwait() until the GIL is released. The function drop_gil() waits in
 * pthread_cond_wait() until another thread has taken it. The caller holds the mutex of the
 * condition variable in both cases.
 */
#ifndef PINSIGHT_CPYTHON_GIL_H
#define PINSIGHT_CPYTHON_GIL_H

#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#undef _PyGC_FINALIZED
#if PY_VERSION_HEX < 0x03090000
#include <internal/pycore_pystate.h>
#elif PY_VERSION_HEX < 0x030c0000
#include <internal/pycore_runtime.h>
#else
#include <internal/pycore_interp.h>
#endif

#include "tracer/python/cpython/frame.h"

typedef struct _gil_runtime_state pinsight_gil;

/* Returns the main interpreter's GIL, or NULL in a build that has none. */
static inline pinsight_gil *pinsight_gil_main(void) {
#ifdef Py_GIL_DISABLED
    return NULL;
#elif PY_VERSION_HEX < 0x030c0000
    return &_PyRuntime.ceval.gil;
#else
    return PyInterpreterState_Main()->ceval.gil;
#endif
}

/* Returns the GIL that contains a condition variable and its mutex, which lie side by side in it.
 * Returns NULL if they belong to no GIL. */
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

/* Returns the thread that has the GIL, or had it last. The thread may be read while the GIL's mutex
 * is held, because it cannot release the GIL then. */
static inline const PyThreadState *pinsight_gil_holder(const pinsight_gil *gil) {
    return *(const PyThreadState *const volatile *)&gil->last_holder;
}

/* Returns whether the GIL is taken. The mutex is held. */
static inline bool pinsight_gil_is_taken(const pinsight_gil *gil) {
    return *(const volatile int *)&gil->locked == 1;
}

/* Returns how often the GIL has changed hands. */
static inline unsigned long pinsight_gil_switches(const pinsight_gil *gil) {
    return *(const volatile unsigned long *)&gil->switch_number;
}

/* Returns whether a thread state belongs to the running interpreter. Holds the GIL. */
static inline bool pinsight_gil_is_thread(const PyThreadState *state) {
    PyThreadState *at = PyInterpreterState_ThreadHead(PyThreadState_Get()->interp);
    while (at && at != state)
        at = PyThreadState_Next(at);
    return at != NULL;
}

/* Returns the OS thread id if the thread's state has it, or 0. */
static inline uint32_t pinsight_gil_tid(const PyThreadState *state) {
#if PY_VERSION_HEX >= 0x030b0000
    return (uint32_t)state->native_thread_id;
#else
    (void)state;
    return 0;
#endif
}

/* Returns the innermost frame that runs a function, from `frame` outwards, or NULL. */
static inline const pinsight_frame *pinsight_gil_frame(const pinsight_frame *frame) {
    while (frame && (pinsight_frame_is_internal(frame) ||
                     !pinsight_frame_counts(pinsight_frame_code(frame), pinsight_frame_at(frame),
                                            pinsight_frame_is_of_generator(frame))))
        frame = pinsight_frame_caller(frame);
    return frame;
}

#endif
