/* gc.callbacks: calls the list's callables as the interpreter does. */
#ifndef PINSIGHT_CPYTHON_GC_LIST_H
#define PINSIGHT_CPYTHON_GC_LIST_H

#include "tracer/python/versions.h"

/* Returns the callable at an index, as a new reference; NULL past the end. */
static inline PyObject *pinsight_gc_callable(PyObject *list, Py_ssize_t index) {
#if PY_VERSION_HEX >= 0x030d0000
    PyObject *callable = PyList_GetItemRef(list, index);
    if (!callable)
        PyErr_Clear();
#else
    PyObject *callable = index < PyList_GET_SIZE(list) ? PyList_GET_ITEM(list, index) : NULL;
    Py_XINCREF(callable);
#endif
    return callable;
}

/* Reports an exception of a callable to sys.unraisablehook, with the text of the version. */
static inline void pinsight_gc_callable_raised(PyObject *callable) {
#if PY_VERSION_HEX >= 0x030e0000
    PyErr_FormatUnraisable("Exception ignored while calling GC callback %R", callable);
#else
    PyErr_WriteUnraisable(callable);
#endif
}

#endif
