/* Code extras are set, beside those of other libraries. */
#ifndef PINSIGHT_CPYTHON_CODE_EXTRA_SET_H
#define PINSIGHT_CPYTHON_CODE_EXTRA_SET_H

#include "domains/python/versions.h"

/*
 * As PyUnstable_Code_SetExtra() does, without harm to others who have code extras. The interpreter
 * makes room for the extras of all of them, and calls the free function of each with what is in its
 * place when the code object goes: with NULL for code that only we marked. Such a function never
 * hears of code that its library did not mark while PInsight is away, and may not expect it; one
 * that lies in what is gone at the interpreter's end crashes. So these functions are called for
 * what is not NULL alone. Holds the GIL. Returns 0, or -1 with an exception set.
 */
#if PINSIGHT_IS_PLAIN
static inline int pinsight_code_extra_set(PyCodeObject *code, Py_ssize_t index, void *extra) {
    return PyUnstable_Code_SetExtra((PyObject *)code, index, extra);
}
#else
int pinsight_code_extra_set(PyCodeObject *code, Py_ssize_t index, void *extra);
#endif

#endif
