/* Entries of method tables; see method_table.h. */
#include "tracer/python/cpython/method_table.h"

#include "tracer/python/callable_name.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool pinsight_method_redirect(PyMethodDef *method, int flags, PyCFunction to, PyCFunction *own) {
    if (method->ml_flags != flags)
        return false;
    if (method->ml_meth == to) /* otherwise *own would be `to`, which would call itself endlessly */
        return true;
    /* Written through the kernel, which refuses if the memory is not writable. */
    struct iovec from = {&to, sizeof to}, into = {&method->ml_meth, sizeof to};
    *own = method->ml_meth;
    return process_vm_writev(getpid(), &from, 1, &into, 1, 0) == (ssize_t)sizeof to;
}

/* ---- sets and dicts with functions ---- */

/* Removes the function from the sets and dicts of modules. Returns a list of these sets, and of
 * each dict with its items; the dicts are left empty. Returns NULL if there are none. */
static PyObject *take_out(PyObject *function) {
    PyObject *modules = PyImport_GetModuleDict(), *name, *module, *value, *found = NULL;
    Py_ssize_t at = 0;

    while (modules && PyDict_Next(modules, &at, NULL, &module)) {
        Py_ssize_t in = 0;
        PyObject *dict = PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
        while (dict && PyDict_Next(dict, &in, &name, &value)) {
            bool is_set = Py_TYPE(value) == &PySet_Type;
            if ((!is_set && !PyDict_CheckExact(value)) || value == dict ||
                (is_set ? PySet_Contains(value, function) : PyDict_Contains(value, function)) <= 0)
                continue;
            PyObject *items = is_set ? NULL : PyDict_Items(value);
            PyObject *pair =
                is_set || items ? PyTuple_Pack(2, value, is_set ? Py_None : items) : NULL;
            Py_XDECREF(items);
            if (!found)
                found = PyList_New(0);
            if (pair && found && PyList_Append(found, pair) == 0) {
                if (is_set)
                    PySet_Discard(value, function);
                else
                    PyDict_Clear(value);
            }
            Py_XDECREF(pair);
        }
    }
    return found;
}

static void put_back(PyObject *found, PyObject *function) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found); i++) {
        PyObject *holder = PyTuple_GET_ITEM(PyList_GET_ITEM(found, i), 0);
        PyObject *items = PyTuple_GET_ITEM(PyList_GET_ITEM(found, i), 1);
        if (!PyList_Check(items)) {
            PySet_Add(holder, function);
            continue;
        }
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(items); k++)
            PyDict_SetItem(holder, PyTuple_GET_ITEM(PyList_GET_ITEM(items, k), 0),
                           PyTuple_GET_ITEM(PyList_GET_ITEM(items, k), 1));
    }
    Py_DECREF(found);
}

bool pinsight_function_redirect(PyObject *function, int flags, PyCFunction to, PyCFunction *own) {
    if (!function || !PyCFunction_Check(function))
        return false;
    PyMethodDef *method = ((PyCFunctionObject *)function)->m_ml;
    if (method->ml_flags != flags || method->ml_meth == to)
        return pinsight_method_redirect(method, flags, to, own);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *found = take_out(function);
    bool done = pinsight_method_redirect(method, flags, to, own);
    if (found)
        put_back(found, function);
    PyErr_Restore(type, value, traceback);
    return done;
}

/* Returns whether it is a Cython function. These begin like the interpreter's own, and each is its
 * own `self`. */
static bool is_cython(PyObject *function) {
    const PyTypeObject *type = Py_TYPE(function);
    const char *dot = strrchr(type->tp_name, '.');
    return strcmp(dot ? dot + 1 : type->tp_name, "cython_function_or_method") == 0 &&
           (size_t)type->tp_basicsize >= sizeof(PyCFunctionObject) &&
           ((PyCFunctionObject *)function)->m_self == function;
}

PyMethodDef *pinsight_method_of(PyTypeObject *type, const char *name) {
    PyObject *dict = pinsight_type_dict(type);
    PyObject *function = dict ? PyDict_GetItemString(dict, name) : NULL;
    if (function && Py_TYPE(function) == &PyMethodDescr_Type)
        return ((PyMethodDescrObject *)function)->d_method;
    return function && is_cython(function) ? ((PyCFunctionObject *)function)->m_ml : NULL;
}
