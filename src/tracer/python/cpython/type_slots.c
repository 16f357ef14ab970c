/* Redirected slots; see type_slots.h. */
#include "tracer/python/cpython/type_slots.h"

#include "tracer/python/callable_name.h"

void pinsight_type_redirect(PyTypeObject *type, size_t offset, void *from, void *to) {
    void **slot = (void **)(void *)((char *)type + offset);
    if (*slot == from)
        *slot = to;
    PyObject *subclasses =
        PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", (PyObject *)type);
    for (Py_ssize_t i = 0; subclasses && i < PyList_GET_SIZE(subclasses); i++)
        pinsight_type_redirect((PyTypeObject *)PyList_GET_ITEM(subclasses, i), offset, from, to);
    if (!subclasses)
        PyErr_Clear();
    Py_XDECREF(subclasses);
}

void pinsight_type_redirect_init(PyTypeObject *type, initproc init, initproc *own) {
    PyObject *wrapper = PyDict_GetItemString(pinsight_type_dict(type), "__init__");
    void *from = (void *)(uintptr_t)type->tp_init, *to = (void *)(uintptr_t)init;
    *own = type->tp_init;
    if (wrapper && Py_TYPE(wrapper) == &PyWrapperDescr_Type &&
        ((PyWrapperDescrObject *)wrapper)->d_wrapped == from)
        ((PyWrapperDescrObject *)wrapper)->d_wrapped = to;
    pinsight_type_redirect(type, offsetof(PyTypeObject, tp_init), from, to);
}
