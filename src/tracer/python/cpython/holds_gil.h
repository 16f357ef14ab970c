/* The holder of the GIL. */
#ifndef PINSIGHT_CPYTHON_HOLDS_GIL_H
#define PINSIGHT_CPYTHON_HOLDS_GIL_H

#include "tracer/python/versions.h"

/* Returns the thread state that runs in this thread, or NULL if the thread does not hold the GIL.
 * Needs no GIL. */
static inline PyThreadState *pinsight_running_state(void) {
#if PY_VERSION_HEX >= 0x030d0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
}

/* Returns whether this thread holds the GIL. PyGILState_Check() returns true in every thread as
 * soon as the program has made a second interpreter. The plain form knows the answer in the
 * interpreter that the thread came from. In another interpreter, its "no" is a guess
 * (PINSIGHT_KNOWS_GIL). */
#if PINSIGHT_IS_PLAIN
#define PINSIGHT_KNOWS_GIL 0
static inline bool pinsight_holds_gil(void) {
    const PyThreadState *first = PyGILState_GetThisThreadState();
    return first && pinsight_running_state() == first;
}
#else
#define PINSIGHT_KNOWS_GIL 1
static inline bool pinsight_holds_gil(void) {
    const PyThreadState *first = PyGILState_GetThisThreadState();
    const PyThreadState *running = first ? pinsight_running_state() : NULL;
    return running && (running == first || running->thread_id == PyThread_get_thread_ident());
}
#endif

#if !PINSIGHT_IS_PLAIN
/* Returns whether a thread state, which may be another thread's, belongs to this interpreter. */
static inline bool pinsight_state_is_of(const PyThreadState *state,
                                        const PyInterpreterState *interpreter) {
    return state->interp == interpreter;
}
#endif

#endif
