/* The caller of a function that begins: its frame, and its instruction. */
#ifndef PINSIGHT_CPYTHON_CALLER_H
#define PINSIGHT_CPYTHON_CALLER_H

#include "tracer/python/cpython/frame.h"

#if PINSIGHT_IS_PLAIN

/* The plain form does not look for callers, because the API would make frame objects. */
static inline const void *pinsight_caller_of(const void *frame, uintptr_t *at) {
    (void)frame;
    (void)at;
    return NULL;
}

static inline const void *pinsight_caller_that_runs(const void *frame, uintptr_t *at) {
    (void)frame;
    (void)at;
    return NULL;
}

#else

/* Returns the caller of `frame`, as events identify frames: by the interpreter frame from 3.12 on,
 * and by the frame object before. *at gets its instruction (frame.h). Returns NULL if there is
 * none. */
PINSIGHT_ALWAYS_INLINE const void *pinsight_caller_of(const void *frame, uintptr_t *at) {
#if PINSIGHT_HAS_MONITORING
    const pinsight_frame *caller = ((const pinsight_frame *)frame)->previous;
#elif PY_VERSION_HEX >= 0x030b0000
    const pinsight_frame *caller = ((const PyFrameObject *)frame)->f_frame->previous;
#else
    const pinsight_frame *caller = ((const PyFrameObject *)frame)->f_back;
#endif
    /* C is between the two, for example if an operator of the caller is a Python method. */
    if (caller && PINSIGHT_UNLIKELY(pinsight_frame_is_between(caller)))
        caller = pinsight_frame_caller(caller);
    if (PINSIGHT_UNLIKELY(!caller))
        return NULL;
    *at = pinsight_frame_at(caller);
#if !PINSIGHT_HAS_MONITORING && PY_VERSION_HEX >= 0x030b0000
    return caller->frame_obj;
#else
    return caller;
#endif
}

/* Like pinsight_caller_of(), for code without a frame: its caller's frame runs, or is NULL. */
static inline const void *pinsight_caller_that_runs(const void *frame, uintptr_t *at) {
#if PINSIGHT_HAS_MONITORING
    if (frame)
        *at = pinsight_frame_at(frame);
    return frame;
#else
    (void)frame;
    (void)at;
    return NULL; /* every execution has a frame */
#endif
}

#endif

#endif
