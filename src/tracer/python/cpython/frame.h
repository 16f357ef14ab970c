/*
 * The interpreter frames of the calling thread, read without the GIL. They do not change, because
 * the thread is in native code that it called.
 */
#ifndef PINSIGHT_CPYTHON_FRAME_H
#define PINSIGHT_CPYTHON_FRAME_H

#include "tracer/python/versions.h"

#if PINSIGHT_IS_PLAIN

/* Returns whether the execution that `identity` stands for, a frame of this thread, is still open.
 * Returns true if that is not known. */
static inline bool pinsight_frame_goes_on(const void *identity) {
    (void)identity;
    return true;
}

/* The API has no address of an instruction, and caller.h gives none. */
static inline long pinsight_frame_offset(const PyCodeObject *code, uintptr_t at) {
    (void)code;
    (void)at;
    return -1;
}

#else

#if PY_VERSION_HEX >= 0x030b0000
#define Py_BUILD_CORE 1
#undef _PyGC_FINALIZED
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_code.h>
#include <internal/pycore_interpframe_structs.h>
#include <internal/pycore_stackref.h>
#if !PINSIGHT_HAS_GIL
#include <internal/pycore_interpframe.h>
#endif
#else
#include <internal/pycore_frame.h>
#endif
typedef struct _PyInterpreterFrame pinsight_frame;
#else
typedef struct _frame pinsight_frame;
#endif

/* Returns the innermost frame of a thread, or NULL. */
static inline const pinsight_frame *pinsight_frame_top(const PyThreadState *state) {
#if PY_VERSION_HEX >= 0x030d0000
    return state->current_frame;
#elif PY_VERSION_HEX >= 0x030b0000
    return state->cframe->current_frame;
#else
    return state->frame;
#endif
}

static inline const pinsight_frame *pinsight_frame_caller(const pinsight_frame *frame) {
#if PY_VERSION_HEX >= 0x030b0000
    return frame->previous;
#else
    return frame->f_back;
#endif
}

static inline const void *pinsight_frame_code(const pinsight_frame *frame) {
#if PY_VERSION_HEX >= 0x030e0000
    return PyStackRef_AsPyObjectBorrow(frame->f_executable);
#elif PY_VERSION_HEX >= 0x030d0000
    return frame->f_executable;
#else
    return frame->f_code;
#endif
}

/* Returns the instruction of a frame, as a number that identifies the instruction within its code.
 */
static inline uintptr_t pinsight_frame_at(const pinsight_frame *frame) {
#if PY_VERSION_HEX >= 0x030e0000 && !PINSIGHT_HAS_GIL
    /* A thread runs its own copy of the bytecode. The result is the place in the common bytecode.
     */
    const PyCodeObject *code = pinsight_frame_code(frame);
    if (!code || !PyCode_Check(code))
        return (uintptr_t)frame->instr_ptr;
    return (uintptr_t)_PyCode_CODE(code) + (uintptr_t)frame->instr_ptr -
           (uintptr_t)_PyFrame_GetBytecode((pinsight_frame *)frame);
#elif PY_VERSION_HEX >= 0x030d0000
    return (uintptr_t)frame->instr_ptr;
#elif PY_VERSION_HEX >= 0x030b0000
    return (uintptr_t)frame->prev_instr;
#else
    return (uintptr_t)(intptr_t)frame->f_lasti;
#endif
}

/* Returns whether the interpreter puts the frame between C and Python, and runs none of the
 * program's code in it. */
PINSIGHT_ALWAYS_INLINE bool pinsight_frame_is_between(const pinsight_frame *frame) {
#if PY_VERSION_HEX >= 0x030e0000
    return frame->owner >= FRAME_OWNED_BY_INTERPRETER; /* in 3.14, also of the C stack */
#elif PY_VERSION_HEX >= 0x030c0000
    return frame->owner == FRAME_OWNED_BY_CSTACK;
#else
    (void)frame;
    return false;
#endif
}

/* Returns whether the interpreter made the frame for itself. */
static inline bool pinsight_frame_is_internal(const pinsight_frame *frame) {
    return pinsight_frame_is_between(frame) || !pinsight_frame_code(frame);
}

static inline bool pinsight_frame_is_of_generator(const pinsight_frame *frame) {
#if PY_VERSION_HEX >= 0x030b0000
    return frame->owner == FRAME_OWNED_BY_GENERATOR;
#else
    (void)frame;
    return false;
#endif
}

/* Returns whether a frame at an instruction of `code` runs a function that has begun. */
static inline bool pinsight_frame_counts(const void *code, uintptr_t at, bool is_generator) {
    if (Py_TYPE(code) != &PyCode_Type)
        return false;
#if PY_VERSION_HEX >= 0x030b0000
    /* Like _PyFrame_IsIncomplete(). */
    const PyCodeObject *function = code;
    return is_generator || at >= (uintptr_t)(_PyCode_CODE(function) + function->_co_firsttraceable);
#else
    (void)at;
    (void)is_generator;
    return true;
#endif
}

/* Returns the offset of an instruction of `code` in bytes; negative before the first one. */
static inline long pinsight_frame_offset(const PyCodeObject *code, uintptr_t at) {
#if PY_VERSION_HEX >= 0x030b0000
    return (long)((intptr_t)at - (intptr_t)_PyCode_CODE(code));
#elif PY_VERSION_HEX >= 0x030a0000
    (void)code;
    return (long)(intptr_t)at * 2;
#else
    (void)code;
    return (long)(intptr_t)at;
#endif
}

/* Returns whether the execution with the identity of events is one of the calling thread's, which
 * holds the GIL. */
static inline bool pinsight_frame_goes_on(const void *identity) {
    for (const pinsight_frame *frame = pinsight_frame_top(PyThreadState_Get()); frame;
         frame = pinsight_frame_caller(frame)) {
#if PY_VERSION_HEX >= 0x030b0000 && !PINSIGHT_HAS_MONITORING
        const void *known = frame->frame_obj;
#else
        const void *known = frame;
#endif
        if (known == identity)
            return true;
    }
    return false;
}

#endif

#endif
