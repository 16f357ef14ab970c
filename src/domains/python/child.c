/* Forked children; see child.h. */
#include "domains/python/child.h"

#include "domains/python/method_table.h"

static void (*call)(void);

static PyObject *in_child(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    call();
    Py_RETURN_NONE;
}

static PyMethodDef in_child_method = {"pinsight_in_child", in_child, METH_NOARGS, NULL};

int pinsight_child_start(void (*begins)(void)) {
    if (call)
        return 0;
    PyObject *module = pinsight_module_there("posix"); /* borrowed */
    PyObject *function =
        module ? PyDict_GetItemString(PyModule_GetDict(module), "register_at_fork") : NULL;
    if (!function)
        return 0; /* nobody forks */
    int status = -1;
    PyObject *ours = PyCFunction_New(&in_child_method, NULL);
    PyObject *none = PyTuple_New(0);
    PyObject *keywords = ours ? Py_BuildValue("{s:O}", "after_in_child", ours) : NULL;
    PyObject *result = none && keywords ? PyObject_Call(function, none, keywords) : NULL;
    if (result) {
        call = begins;
        status = 0;
    }
    Py_XDECREF(result);
    Py_XDECREF(keywords);
    Py_XDECREF(none);
    Py_XDECREF(ours);
    return status;
}
