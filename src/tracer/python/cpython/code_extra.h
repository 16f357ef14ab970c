/* Code extras, read from the interpreter's memory. */
#ifndef PINSIGHT_CPYTHON_CODE_EXTRA_H
#define PINSIGHT_CPYTHON_CODE_EXTRA_H

#include "tracer/python/versions.h"

/* Up to 3.15, code extras are in an array of this form behind co_extra (Objects/codeobject.c,
 * _PyCodeObjectExtra). Reading it here saves a call for each event. Later versions, free-threaded
 * builds and the plain form use the API, which knows how the array is shared there. */
#if !PINSIGHT_IS_PLAIN && PY_VERSION_HEX < 0x03100000 && !defined(Py_GIL_DISABLED)
struct pinsight_code_extras {
    Py_ssize_t count;
    void *extras[1];
};

static inline void *pinsight_code_extra(PyCodeObject *code, Py_ssize_t index) {
    const struct pinsight_code_extras *extras = (const struct pinsight_code_extras *)code->co_extra;
    return extras && extras->count > index ? extras->extras[index] : NULL;
}
#else
static inline void *pinsight_code_extra(PyCodeObject *code, Py_ssize_t index) {
    void *extra = NULL;
    return PyUnstable_Code_GetExtra((PyObject *)code, index, &extra) == 0 ? extra : NULL;
}
#endif

#endif
