/*
 * Coroutines, generators and asynchronous generators that do not run: their place, and the objects
 * that they wait for in turn. All functions hold the GIL and run no code of the program.
 */
#ifndef PINSIGHT_CPYTHON_SUSPENDED_H
#define PINSIGHT_CPYTHON_SUSPENDED_H

#include "tracer/python/cpython/frame.h"

/* Returns the frame of such an object, or NULL if it is none of the three, or has ended. */
const pinsight_frame *pinsight_suspended_frame(PyObject *object);

/* Returns the first instruction of a code object in the form of pinsight_frame_at(). */
static inline uintptr_t pinsight_suspended_first(const PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030b0000
    return (uintptr_t)_PyCode_CODE(code);
#else
    (void)code;
    return 0;
#endif
}

/* Returns the object that one waits for, as a new reference. This is the next object with a frame,
 * behind the interpreter's objects for `__await__` and for asynchronous generators, or else the
 * last object without a frame. Returns NULL if it waits for nothing. Sets no exception. */
PyObject *pinsight_suspended_on(PyObject *object);

/* Returns the qualified name of one, borrowed, or NULL if it is none of the three. */
PyObject *pinsight_suspended_name(PyObject *object);

#endif
