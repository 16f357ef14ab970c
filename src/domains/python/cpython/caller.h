/* Who called the function that begins: the frame that is known as its caller, and where it is. */
#ifndef PINSIGHT_CPYTHON_CALLER_H
#define PINSIGHT_CPYTHON_CALLER_H

#include "domains/python/cpython/frame.h"

#if PINSIGHT_IS_PLAIN

/* Whom a function was called by is not asked: the API makes frame objects for it. */
static inline const void *pinsight_caller_of(const void *frame, uintptr_t *at) {
    (void)frame;
    (void)at;
    return NULL;
}

#else

/* The caller of `frame`, as events identify frames (an interpreter frame from 3.12 on, before that
 * a frame object), with the instruction that it is at (*at, see frame.h); NULL where there is none.
 */
PINSIGHT_ALWAYS_INLINE const void *pinsight_caller_of(const void *frame, uintptr_t *at) {
#if PINSIGHT_HAS_MONITORING
    const pinsight_frame *caller = ((const pinsight_frame *)frame)->previous;
#elif PY_VERSION_HEX >= 0x030b0000
    const pinsight_frame *caller = ((const PyFrameObject *)frame)->f_frame->previous;
#else
    const pinsight_frame *caller = ((const PyFrameObject *)frame)->f_back;
#endif
    /* C is between them, as where an operator of the caller's is a method. */
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

#endif

#endif
