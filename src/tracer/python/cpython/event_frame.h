/* The frame of an event of a profile function, CPython 3.8 to 3.11. */
#ifndef PINSIGHT_CPYTHON_EVENT_FRAME_H
#define PINSIGHT_CPYTHON_EVENT_FRAME_H

#include "tracer/python/versions.h"

#if !PINSIGHT_IS_PLAIN && PY_VERSION_HEX >= 0x030b0000
#define Py_BUILD_CORE 1
#undef _PyGC_FINALIZED
#include <internal/pycore_frame.h>
#endif
#include <opcode.h>

#include "tracer/python/plain/instruction_at.h"
#include "tracer/record/python.h"

#if PINSIGHT_IS_PLAIN

static inline PyCodeObject *pinsight_event_code(PyFrameObject *frame) {
    return pinsight_instruction_code(frame);
}

/* Returns the offset in bytes of the current instruction. */
static inline long pinsight_event_offset(PyFrameObject *frame) {
    return pinsight_instruction_offset(frame);
}

static inline int pinsight_event_begin_how(PyFrameObject *frame, const PyCodeObject *code) {
    if (!(code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)))
        return PINSIGHT_PYTHON_BEGIN_HOW_START;
    long offset = pinsight_event_offset(frame);
#if PY_VERSION_HEX >= 0x030b0000
    int argument = 0, instruction = pinsight_instruction_at(code, offset, &argument);
    if (instruction != RESUME)
        return PINSIGHT_PYTHON_BEGIN_HOW_THROW;
    return argument == 0 ? PINSIGHT_PYTHON_BEGIN_HOW_START : PINSIGHT_PYTHON_BEGIN_HOW_RESUME;
#else
    return offset < 0 ? PINSIGHT_PYTHON_BEGIN_HOW_START : PINSIGHT_PYTHON_BEGIN_HOW_RESUME;
#endif
}

static inline int pinsight_event_end_how(PyFrameObject *frame, const PyCodeObject *code,
                                         PyObject *result) {
    if (!result)
        return PINSIGHT_PYTHON_END_HOW_UNWIND;
    if (!(code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)))
        return PINSIGHT_PYTHON_END_HOW_RETURN;
    int argument = 0;
    int instruction = pinsight_instruction_at(code, pinsight_event_offset(frame), &argument);
    /* Before 3.11, a frame that waits in YIELD_FROM is at the instruction before it. */
    return instruction == RETURN_VALUE ? PINSIGHT_PYTHON_END_HOW_RETURN
                                       : PINSIGHT_PYTHON_END_HOW_YIELD;
}

#else

static inline PyCodeObject *pinsight_event_code(PyFrameObject *frame) {
#if PY_VERSION_HEX >= 0x030b0000
    return frame->f_frame->f_code;
#else
    return frame->f_code;
#endif
}

/* Returns the offset in bytes of the current instruction. */
static inline long pinsight_event_offset(PyFrameObject *frame) {
#if PY_VERSION_HEX >= 0x030b0000
    return _PyInterpreterFrame_LASTI(frame->f_frame) * (long)sizeof(_Py_CODEUNIT);
#elif PY_VERSION_HEX >= 0x030a0000
    return frame->f_lasti * 2L;
#else
    return frame->f_lasti;
#endif
}

/* Returns whether a function starts, or a generator or coroutine is resumed. */
static inline int pinsight_event_begin_how(PyFrameObject *frame, const PyCodeObject *code) {
    if (!(code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)))
        return PINSIGHT_PYTHON_BEGIN_HOW_START;
#if PY_VERSION_HEX >= 0x030b0000
    /* The argument of RESUME gives its position: 0 at the start, other values after a yield or
     * await. The call of a generator function ends when the generator is made, and is not reported.
     */
    _Py_CODEUNIT unit = *frame->f_frame->prev_instr;
    if (_Py_OPCODE(unit) == RESUME || _Py_OPCODE(unit) == RESUME_QUICK)
        return _Py_OPARG(unit) == 0 ? PINSIGHT_PYTHON_BEGIN_HOW_START
                                    : PINSIGHT_PYTHON_BEGIN_HOW_RESUME;
    return PINSIGHT_PYTHON_BEGIN_HOW_THROW;
#else
    return frame->f_lasti < 0 ? PINSIGHT_PYTHON_BEGIN_HOW_START : PINSIGHT_PYTHON_BEGIN_HOW_RESUME;
#endif
}

static inline int pinsight_event_end_how(PyFrameObject *frame, const PyCodeObject *code,
                                         PyObject *result) {
    if (!result)
        return PINSIGHT_PYTHON_END_HOW_UNWIND;
    if (!(code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)))
        return PINSIGHT_PYTHON_END_HOW_RETURN;
#if PY_VERSION_HEX >= 0x030b0000
    bool yields = _Py_OPCODE(*frame->f_frame->prev_instr) == YIELD_VALUE;
#elif PY_VERSION_HEX >= 0x030a0000
    bool yields = frame->f_state == FRAME_SUSPENDED;
#else
    bool yields = frame->f_stacktop != NULL;
#endif
    return yields ? PINSIGHT_PYTHON_END_HOW_YIELD : PINSIGHT_PYTHON_END_HOW_RETURN;
}

#endif

#endif
