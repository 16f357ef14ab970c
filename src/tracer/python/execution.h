/*
 * The identity of the execution that an event is about.
 *
 * It is the frame. Compiled code has none: modules of Cython with profile=True (CPython 3.13 and
 * later) and functions of Numba report their begins and ends while the frame of their caller runs.
 * Such an event is known by its code object, which is not the frame's. Its execution is identified
 * by the caller's frame with a mark. All executions that a frame calls have the same identity. They
 * end in the reverse order, and need no other distinction.
 */
#ifndef PINSIGHT_PYTHON_EXECUTION_H
#define PINSIGHT_PYTHON_EXECUTION_H

#include <stdbool.h>
#include <stdint.h>

/* Frames are aligned, so that the lowest bit is free. */
#define PINSIGHT_FRAMELESS ((uintptr_t)1)

static inline bool pinsight_is_frameless(const void *identity) {
    return ((uintptr_t)identity & PINSIGHT_FRAMELESS) != 0;
}

/* Returns the identity of an execution without a frame. `caller` is the frame that runs, or NULL in
 * a thread that runs none. */
static inline void *pinsight_frameless(const void *caller) {
    return (void *)((uintptr_t)caller | PINSIGHT_FRAMELESS);
}

/* Returns the frame of an identity: its own, or that of its caller, or NULL. */
static inline void *pinsight_frame_of_execution(const void *identity) {
    return (void *)((uintptr_t)identity & ~PINSIGHT_FRAMELESS);
}

#endif
