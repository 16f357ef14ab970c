/*
 * What differs between CPython's versions, in one place: the frame that runs, code extras, frames'
 * code and position, the thread list.
 */
#ifndef PINSIGHT_PYTHON_VERSIONS_H
#define PINSIGHT_PYTHON_VERSIONS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#if PY_VERSION_HEX < 0x030c0000
#include <frameobject.h>
#endif

#include "core/inline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* sys.monitoring (PEP 669) came with 3.12; before it there is the C profile function. */
#define PINSIGHT_HAS_MONITORING (PY_VERSION_HEX >= 0x030c0000)

#if PINSIGHT_HAS_MONITORING
/* The interpreter frame that runs in this thread: inside a monitoring callback, the event's own. It
 * identifies the execution for as long as it lasts. The thread must hold the GIL. */
static inline void *pinsight_current_frame(void) {
    PyThreadState *state = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030d0000
    return state->current_frame;
#else
    return state->cframe->current_frame;
#endif
}
#endif

#if PY_VERSION_HEX < 0x030c0000
#define PyUnstable_Eval_RequestCodeExtraIndex _PyEval_RequestCodeExtraIndex
#define PyUnstable_Code_GetExtra _PyCode_GetExtra
#define PyUnstable_Code_SetExtra _PyCode_SetExtra
#endif

/* Code extras live in an array of this form behind co_extra, on every version up to 3.13
 * (Objects/codeobject.c, _PyCodeObjectExtra). Reading it here saves a call an event; later versions
 * and free-threaded builds go through the API, which knows how it is shared there. */
#if PY_VERSION_HEX < 0x030e0000 && !defined(Py_GIL_DISABLED)
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

/* Is the interpreter going down? Then nothing may take the GIL or call into it any more. */
static inline bool pinsight_finalizing(void) {
#if PY_VERSION_HEX >= 0x030d0000
    return !Py_IsInitialized() || Py_IsFinalizing();
#else
    return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

#endif
