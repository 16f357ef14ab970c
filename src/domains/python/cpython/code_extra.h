/* Code extras, read where the interpreter keeps them. */
#ifndef PINSIGHT_CPYTHON_CODE_EXTRA_H
#define PINSIGHT_CPYTHON_CODE_EXTRA_H

#include "domains/python/versions.h"

/* Code extras live in an array of this form behind co_extra, on every version up to 3.15
 * (Objects/codeobject.c, _PyCodeObjectExtra). Reading it here saves a call an event; later
 * versions, free-threaded builds and the plain form go through the API, which knows how it is
 * shared there. */
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
