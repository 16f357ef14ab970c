/* Callables that an event loop calls back; see task_callback.h. */
#include "tracer/python/task_callback.h"

#include "tracer/python/callable_name.h"
#include "tracer/python/text.h"

#include <string.h>

PyObject *pinsight_callback_callee(PyObject *callback) {
    for (int depth = 0; depth < 8; depth++) {
        PyTypeObject *type = Py_TYPE(callback);
        PyObject *dict =
            strcmp(type->tp_name, "functools.partial") == 0 ? pinsight_type_dict(type) : NULL;
        PyObject *member = dict ? PyDict_GetItemString(dict, "func") : NULL;
        if (!member || Py_TYPE(member) != &PyMemberDescr_Type)
            break;
        PyObject *inner = Py_TYPE(member)->tp_descr_get(member, callback, (PyObject *)type);
        Py_XDECREF(inner); /* the partial keeps it */
        if (!inner) {
            PyErr_Clear();
            break;
        }
        callback = inner;
    }
    return callback;
}

PyCodeObject *pinsight_callback_code(PyObject *callback) {
    if (PyMethod_Check(callback))
        callback = PyMethod_GET_FUNCTION(callback);
    return PyFunction_Check(callback) ? (PyCodeObject *)PyFunction_GET_CODE(callback) : NULL;
}

char *pinsight_callback_name(PyObject *callback) {
    if (PyMethod_Check(callback))
        callback = PyMethod_GET_FUNCTION(callback);
    if (PyFunction_Check(callback))
        return pinsight_utf8_copy(((PyFunctionObject *)callback)->func_qualname);
    return strdup(PyCFunction_Check(callback) ? ((PyCFunctionObject *)callback)->m_ml->ml_name
                                              : Py_TYPE(callback)->tp_name);
}
