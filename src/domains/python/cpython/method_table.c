/* Entries of method tables; see method_table.h. */
#include "domains/python/cpython/method_table.h"

#include "domains/python/callable_name.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool pinsight_method_redirect(PyMethodDef *method, int flags, PyCFunction to, PyCFunction *own) {
    if (method->ml_flags != flags)
        return false;
    if (method->ml_meth == to) /* else *own would be `to`, which would call itself for ever */
        return true;
    /* By way of the kernel, which refuses where it may not be written. */
    struct iovec from = {&to, sizeof to}, into = {&method->ml_meth, sizeof to};
    *own = method->ml_meth;
    return process_vm_writev(getpid(), &from, 1, &into, 1, 0) == (ssize_t)sizeof to;
}

/* Cython's functions begin as the interpreter's own do, and each is the `self` of its own. */
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
