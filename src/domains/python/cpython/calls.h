/* What the interpreter keeps of calls and of what is called. */
#ifndef PINSIGHT_CPYTHON_CALLS_H
#define PINSIGHT_CPYTHON_CALLS_H

#include "domains/python/versions.h"

#if PY_VERSION_HEX >= 0x030d0000
#include <opcode_ids.h>
#elif PINSIGHT_HAS_MONITORING
#include <opcode.h>
#endif

/* wrapperobject of Objects/descrobject.c: x.__add__ of a type written in C, bound. */
struct pinsight_method_wrapper {
    PyObject_HEAD PyObject *descriptor, *self;
};

/* The descriptor of a method wrapper, borrowed. */
static inline PyObject *pinsight_method_wrapper_of(PyObject *wrapper) {
    return ((struct pinsight_method_wrapper *)wrapper)->descriptor;
}

#if PINSIGHT_HAS_MONITORING

/* CPython 3.13, and 3.12 from 3.12.3 on, report no end of a call `method(*arguments)` through a
 * bound method; before that no begin either, so that nobody asks. Is one of those running? */
static inline bool pinsight_call_ends_unseen(void) {
    bool unseen = false;
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
    PyCodeObject *code = frame ? PyFrame_GetCode(frame) : NULL;
    int at = frame ? PyFrame_GetLasti(frame) : -1;
    if (code && at >= 0)
        unseen = (unsigned char)code->co_code_adaptive[at] == INSTRUMENTED_CALL_FUNCTION_EX;
    Py_XDECREF(code);
    return unseen;
}

#endif

/* The instance's own name space, borrowed; NULL where there is none (yet). */
static inline PyObject *pinsight_instance_dict(PyObject *object) {
    PyObject **dict = Py_TYPE(object)->tp_dictoffset ? _PyObject_GetDictPtr(object) : NULL;
    return dict ? *dict : NULL;
}

#endif
