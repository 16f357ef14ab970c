/* Names of generated methods; see generated_name.h. */
#include "tracer/python/generated_name.h"

#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/first_argument.h"
#include "tracer/python/text.h"

#include <frameobject.h>
#include <stdlib.h>
#include <string.h>

static bool is_generated(PyCodeObject *code) {
    return code->co_argcount > 0 && PyUnicode_GET_LENGTH(code->co_filename) > 1 &&
           PyUnicode_READ_CHAR(code->co_filename, 0) == '<' &&
           PyUnicode_READ_CHAR(code->co_filename, 1) != 'f' && /* <frozen …> */
           PyUnicode_CompareWithASCIIString(code->co_filename, "<stdin>") != 0;
}

/* Returns whether the running function has this code. */
static bool runs(PyCodeObject *code) {
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
#if PY_VERSION_HEX >= 0x03090000
    PyCodeObject *running = frame ? PyFrame_GetCode(frame) : NULL;
#else
    PyCodeObject *running = frame ? frame->f_code : NULL;
    Py_XINCREF(running);
#endif
    Py_XDECREF(running); /* the frame keeps it */
    return running == code;
}

/* Returns the name of an argument: before CPython 3.11 the code object has a tuple of them. */
static PyObject *argument_name(PyCodeObject *code) {
    PyObject *names = PyObject_GetAttrString((PyObject *)code, "co_varnames");
    PyObject *name = names && PyTuple_Check(names) && PyTuple_GET_SIZE(names) > 0
                         ? PyTuple_GET_ITEM(names, 0)
                         : NULL;
    Py_XINCREF(name);
    Py_XDECREF(names);
    return name;
}

/* Returns the first argument of the running function, a new reference, or NULL. */
static PyObject *first_argument(PyCodeObject *code) {
    PyObject *name = argument_name(code);
    const char *text = name ? PyUnicode_AsUTF8(name) : NULL;
    PyObject *value = text ? pinsight_argument(0, text) : NULL;
    Py_XDECREF(name);
    PyErr_Clear();
    return value;
}

static bool has_code(PyObject *function, PyCodeObject *code) {
    return PyFunction_Check(function) && PyFunction_GET_CODE(function) == (PyObject *)code;
}

/* Returns whether an entry of a class is a function with this code, a static method of one, or
 * wraps one (functools.wraps). */
static bool is_of(PyObject *entry, PyTypeObject *type, PyCodeObject *code) {
    if (Py_TYPE(entry) == &PyStaticMethod_Type) {
        PyObject *function = Py_TYPE(entry)->tp_descr_get(entry, NULL, (PyObject *)type);
        bool is = function && has_code(function, code);
        Py_XDECREF(function);
        return is;
    }
    PyObject *dict = PyFunction_Check(entry) ? ((PyFunctionObject *)entry)->func_dict : NULL;
    PyObject *wrapped = dict ? PyDict_GetItemString(dict, "__wrapped__") : NULL;
    return has_code(entry, code) || (wrapped && has_code(wrapped, code));
}

/* Returns the key of the entry of a class that has this code, borrowed, or NULL. */
static PyObject *key_of(PyTypeObject *type, PyCodeObject *code) {
    PyObject *dict = pinsight_type_dict(type), *key, *entry;
    Py_ssize_t at = 0;
    while (dict && PyDict_Next(dict, &at, &key, &entry))
        if (PyUnicode_Check(key) && is_of(entry, type, code))
            return key;
    return NULL;
}

/* Returns "class.method" for a class in the method resolution order of `type`, or NULL. */
static char *name_in(PyTypeObject *type, PyCodeObject *code) {
    PyObject *order = type->tp_mro;
    for (Py_ssize_t i = 0; order && PyTuple_Check(order) && i < PyTuple_GET_SIZE(order); i++) {
        PyTypeObject *class = (PyTypeObject *)PyTuple_GET_ITEM(order, i);
        PyObject *key = (class->tp_flags & Py_TPFLAGS_HEAPTYPE) ? key_of(class, code) : NULL;
        if (!key)
            continue;
        PyObject *name =
            PyUnicode_FromFormat("%U.%U", ((PyHeapTypeObject *)class)->ht_qualname, key);
        char *text = name ? pinsight_utf8_copy(name) : NULL;
        Py_XDECREF(name);
        PyErr_Clear();
        return text;
    }
    return NULL;
}

char *pinsight_generated_name(PyCodeObject *code) {
    if (!is_generated(code) || !runs(code))
        return NULL;
    PyObject *first = first_argument(code);
    if (!first)
        return NULL;
    /* A class is the first argument of __new__ and of class methods. */
    char *name = PyType_Check(first) ? name_in((PyTypeObject *)first, code) : NULL;
    if (!name)
        name = name_in(Py_TYPE(first), code);
    Py_DECREF(first);
    return name;
}
