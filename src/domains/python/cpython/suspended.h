/*
 * Coroutines, generators and asynchronous generators that do not run: where each stands, and what
 * it waits for in turn. All hold the GIL, and none runs code of the program's.
 */
#ifndef PINSIGHT_CPYTHON_SUSPENDED_H
#define PINSIGHT_CPYTHON_SUSPENDED_H

#include "domains/python/cpython/frame.h"

/* The frame of one; NULL where it is none of the three, or has ended. */
const pinsight_frame *pinsight_suspended_frame(PyObject *object);

/* The first instruction of a code object, as pinsight_frame_at() gives it. */
static inline uintptr_t pinsight_suspended_first(const PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030b0000
    return (uintptr_t)_PyCode_CODE(code);
#else
    (void)code;
    return 0;
#endif
}

/* What one waits for, a new reference: the next that has a frame, behind what the interpreter makes
 * for `__await__` and for asynchronous generators, or the last that has none. NULL where it waits
 * for nothing. Sets no exception. */
PyObject *pinsight_suspended_on(PyObject *object);

/* The qualified name of one, borrowed; NULL where it is none of the three. */
PyObject *pinsight_suspended_name(PyObject *object);

#endif
