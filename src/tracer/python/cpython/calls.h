/* The interpreter's data about calls and about called objects. */
#ifndef PINSIGHT_CPYTHON_CALLS_H
#define PINSIGHT_CPYTHON_CALLS_H

#include "tracer/python/callable_name.h"
#include "tracer/python/plain/instruction_at.h"
#include "tracer/python/versions.h"

#if PINSIGHT_HAS_MONITORING && __has_include(<opcode_ids.h>)
#include <opcode_ids.h>
#elif PINSIGHT_HAS_MONITORING
#include <opcode.h>
#endif

#if PINSIGHT_IS_PLAIN

/* Returns the descriptor of a method wrapper, borrowed, or the wrapper if the descriptor cannot be
 * found. */
static inline PyObject *pinsight_method_wrapper_of(PyObject *wrapper) {
    PyObject *type, *value, *traceback, *found = NULL;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *class = PyObject_GetAttrString(wrapper, "__objclass__");
    PyObject *name = PyObject_GetAttrString(wrapper, "__name__");
    PyObject *dict =
        class && PyType_Check(class) ? pinsight_type_dict((PyTypeObject *)class) : NULL;
    if (dict && name)
        found = PyDict_GetItemWithError(dict, name); /* the type keeps it */
    Py_XDECREF(name);
    Py_XDECREF(class);
    PyErr_Restore(type, value, traceback);
    return found ? found : wrapper;
}

static inline bool pinsight_call_ends_unseen(void) {
#ifdef CALL_FUNCTION_EX
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
    int argument;
    return frame && pinsight_instruction_at(pinsight_instruction_code(frame),
                                            pinsight_instruction_offset(frame),
                                            &argument) == CALL_FUNCTION_EX;
#else
    return false;
#endif
}

/* Returns the instance's own dict, borrowed, and makes it if there is none. Returns NULL if the
 * object cannot have one. */
static inline PyObject *pinsight_instance_dict(PyObject *object) {
    if (!Py_TYPE(object)->tp_dictoffset)
        return NULL;
    PyObject *dict = PyObject_GenericGetDict(object, NULL);
    if (!dict)
        PyErr_Clear();
    Py_XDECREF(dict); /* the object keeps it */
    return dict;
}

#else

/* wrapperobject of Objects/descrobject.c: a bound x.__add__ of a type written in C. */
struct pinsight_method_wrapper {
    PyObject_HEAD PyObject *descriptor, *self;
};

/* Returns the descriptor of a method wrapper, borrowed. */
static inline PyObject *pinsight_method_wrapper_of(PyObject *wrapper) {
    return ((struct pinsight_method_wrapper *)wrapper)->descriptor;
}

#if PINSIGHT_HAS_MONITORING

/* Returns whether a call `method(*arguments)` through a bound method is running. CPython 3.13,
 * and 3.12 from 3.12.3 on, report no end of such a call. Earlier versions report no begin either,
 * so that no code asks. */
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

/* Returns the instance's own dict, borrowed, or NULL if it does not exist (yet). */
static inline PyObject *pinsight_instance_dict(PyObject *object) {
    PyObject **dict = Py_TYPE(object)->tp_dictoffset ? _PyObject_GetDictPtr(object) : NULL;
    return dict ? *dict : NULL;
}

#endif

#endif
