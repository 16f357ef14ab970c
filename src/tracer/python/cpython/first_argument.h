/* An argument of the running Python function. */
#ifndef PINSIGHT_CPYTHON_FIRST_ARGUMENT_H
#define PINSIGHT_CPYTHON_FIRST_ARGUMENT_H

#include "tracer/python/versions.h"

#if !PINSIGHT_IS_PLAIN && PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000
#define Py_BUILD_CORE 1
#undef _PyGC_FINALIZED
#include <internal/pycore_frame.h>
#endif

/* Returns an argument of the running function, by its position or its name, depending on the
 * version. A new reference, or NULL. */
static inline PyObject *pinsight_argument(int place, const char *name) {
    (void)place;
    (void)name;
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
    if (!frame)
        return NULL;
#if PY_VERSION_HEX >= 0x030c0000
    return PyFrame_GetVarString(frame, name);
#elif PINSIGHT_IS_PLAIN
    PyObject *locals = PyObject_GetAttrString((PyObject *)frame, "f_locals");
    PyObject *value = locals && PyDict_Check(locals) ? PyDict_GetItemString(locals, name) : NULL;
    Py_XINCREF(value);
    Py_XDECREF(locals);
    return value;
#elif PY_VERSION_HEX >= 0x030b0000
    PyObject *value = frame->f_frame->localsplus[place];
    Py_XINCREF(value);
    return value;
#else
    PyObject *value = frame->f_localsplus[place];
    Py_XINCREF(value);
    return value;
#endif
}

#endif
