/* Sets code extras without harm to other libraries' extras. */
#ifndef PINSIGHT_CPYTHON_CODE_EXTRA_SET_H
#define PINSIGHT_CPYTHON_CODE_EXTRA_SET_H

#include "tracer/python/versions.h"

/*
 * Like PyUnstable_Code_SetExtra(), without harm to other libraries that have code extras. The
 * interpreter makes room for the extras of all libraries. When a code object is freed, it calls
 * each library's free function with that library's extra, which is NULL if only PInsight set one.
 * Without PInsight, a free function is not called for such code objects, and may not expect NULL.
 * One that belongs to an unloaded library crashes at the interpreter's end. Therefore free
 * functions are called only for extras that are not NULL. Holds the GIL. Returns 0, or -1 with an
 * exception set.
 */
#if PINSIGHT_IS_PLAIN
static inline int pinsight_code_extra_set(PyCodeObject *code, Py_ssize_t index, void *extra) {
    return PyUnstable_Code_SetExtra((PyObject *)code, index, extra);
}
#else
int pinsight_code_extra_set(PyCodeObject *code, Py_ssize_t index, void *extra);
#endif

#endif
