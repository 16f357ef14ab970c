/* The frame that runs in this thread, CPython 3.12 and later. */
#ifndef PINSIGHT_CPYTHON_CURRENT_FRAME_H
#define PINSIGHT_CPYTHON_CURRENT_FRAME_H

#include "tracer/python/cpython/frame.h"
#include "tracer/python/cpython/thread_state.h"

#if PINSIGHT_HAS_MONITORING && PINSIGHT_IS_PLAIN

/* The plain form identifies an execution by its frame object, which is made for this purpose. */
static inline void *pinsight_current_frame(void) {
    return PyEval_GetFrame();
}

static inline void *pinsight_current_frame_quick(void) {
    return PyEval_GetFrame();
}

static inline bool pinsight_frame_runs(void *frame, const void *code) {
    PyCodeObject *of = PyFrame_GetCode(frame);
    Py_DECREF(of); /* the frame keeps it */
    return of == code;
}

/* The API gives the instruction of a frame, but no address. */
static inline long pinsight_current_offset(void *frame) {
    return PyFrame_GetLasti(frame);
}

#elif PINSIGHT_HAS_MONITORING

static inline void *pinsight_frame_of(const PyThreadState *state) {
#if PY_VERSION_HEX >= 0x030d0000
    return state->current_frame;
#else
    return state->cframe->current_frame;
#endif
}

/* Returns the interpreter frame that runs in this thread. Inside a monitoring callback, this is the
 * frame of the event. It identifies the execution while that lasts. Holds the GIL. */
static inline void *pinsight_current_frame(void) {
    return pinsight_frame_of(PyThreadState_Get());
}

/* Like pinsight_current_frame(), without a call. Returns NULL if the place of the thread state is
 * not known. */
PINSIGHT_ALWAYS_INLINE void *pinsight_current_frame_quick(void) {
    ptrdiff_t distance = pinsight_thread_state_distance;
    return PINSIGHT_LIKELY(distance != 0) ? pinsight_frame_of(pinsight_thread_state_at(distance))
                                          : NULL;
}

/* Returns whether a frame of this thread runs this code. Otherwise the event's code has no frame
 * (execution.h). Holds the GIL. */
PINSIGHT_ALWAYS_INLINE bool pinsight_frame_runs(const void *frame, const void *code) {
    return pinsight_frame_code(frame) == code;
}

/* Returns the offset in bytes of the current instruction of a frame of this thread. */
static inline long pinsight_current_offset(const void *frame) {
    return pinsight_frame_offset(pinsight_frame_code(frame), pinsight_frame_at(frame));
}

#endif

#endif
