/* Callables of C++ libraries; see cpp_bindings.h. */
#include "tracer/python/cpp_bindings.h"

#include "tracer/python/callable_name.h"

#include <string.h>

/* Returns a type's name without its module. */
static const char *last_part(const PyTypeObject *type) {
    const char *dot = strrchr(type->tp_name, '.');
    return dot ? dot + 1 : type->tp_name;
}

/* ---- pybind11 ---- */

/* The deepest chain of derived classes that is followed. */
#define DEEPEST 64

/* The self of a function is a record. Up to pybind11 2, it is a capsule, which has this name from
 * 2.10 on. From 3.0 on, it has a type of its own, with the number of its layout. */
bool pinsight_is_pybind11(const PyCFunctionObject *function) {
    static const char record[] = "pybind11_detail_function_record_";
    PyObject *self = function->m_self;
    if (!self)
        return false;
    if (PyCapsule_CheckExact(self)) {
        const char *name = PyCapsule_GetName(self);
        PyErr_Clear();
        return name && strcmp(name, "pybind11_function_record_capsule") == 0;
    }
    return strncmp(last_part(Py_TYPE(self)), record, sizeof record - 1) == 0;
}

bool pinsight_pybind11_is_nameless(const PyCFunctionObject *function) {
    return !*function->m_ml->ml_name && pinsight_is_pybind11(function);
}

/* Returns the classes that are derived from one directly, a new list, or NULL. Calls the method of
 * `type`, so that a class does not run code of its own. */
static PyObject *derived_from(PyTypeObject *class) {
    PyObject *list = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", class);
    if (list && !PyList_Check(list))
        Py_CLEAR(list);
    PyErr_Clear();
    return list;
}

static bool has(PyTypeObject *class, const PyMethodDef *method) {
    PyObject *dict = pinsight_type_dict(class);
    PyObject *entry = dict ? PyDict_GetItemString(dict, method->ml_name) : NULL;
    return entry && pinsight_entry_has_method(entry, method);
}

/* Returns the class below `class` that has the method, a new reference, or NULL. */
static PyTypeObject *find_below(PyTypeObject *class, const PyMethodDef *method, unsigned depth) {
    PyTypeObject *found = NULL;
    PyObject *list = depth < DEEPEST ? derived_from(class) : NULL;
    for (Py_ssize_t i = 0; list && !found && i < PyList_GET_SIZE(list); i++) {
        PyTypeObject *derived = (PyTypeObject *)PyList_GET_ITEM(list, i);
        if (!PyType_Check((PyObject *)derived))
            continue;
        if (has(derived, method))
            Py_INCREF(found = derived);
        else
            found = find_below(derived, method, depth + 1);
    }
    Py_XDECREF(list);
    return found;
}

/* Returns whether a class is the base that pybind11 gives to its classes. Each version of its
 * internals has its own. */
static bool is_base(PyTypeObject *class) {
    return PyType_Check((PyObject *)class) && strcmp(last_part(class), "pybind11_object") == 0;
}

/* Returns whether the function is in its module's namespace, and thus in no class. */
static bool is_in_module(const PyCFunctionObject *function) {
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *module = modules && function->m_module && PyUnicode_Check(function->m_module)
                           ? PyDict_GetItemWithError(modules, function->m_module)
                           : NULL;
    return module && PyModule_Check(module) &&
           PyDict_GetItemString(PyModule_GetDict(module), function->m_ml->ml_name) ==
               (PyObject *)function;
}

PyTypeObject *pinsight_pybind11_class(const PyCFunctionObject *function) {
    PyTypeObject *found = NULL;
    const char *name = function->m_ml->ml_name;
    PyObject *list =
        name && *name && !is_in_module(function) ? derived_from(&PyBaseObject_Type) : NULL;
    for (Py_ssize_t i = 0; list && !found && i < PyList_GET_SIZE(list); i++) {
        PyTypeObject *base = (PyTypeObject *)PyList_GET_ITEM(list, i);
        if (is_base(base))
            found = find_below(base, function->m_ml, 0);
    }
    Py_XDECREF(list);
    PyErr_Clear();
    return found;
}

/* ---- nanobind ---- */

bool pinsight_is_nanobind_type(const PyTypeObject *type) {
    const char *name = last_part(type);
    return strcmp(name, "nb_func") == 0 || strcmp(name, "nb_method") == 0;
}

bool pinsight_nanobind_lasts(PyObject *object) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *module = PyObject_GetAttrString(object, "__module__");
    bool lasts = module && PyUnicode_Check(module);
    Py_XDECREF(module);
    PyErr_Restore(type, value, traceback);
    return lasts;
}

/* nb_bound_method of nanobind, unchanged since 1.0. */
struct bound_method {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject *function, *self;
};

PyObject *pinsight_nanobind_unbound(PyObject *object) {
    const PyTypeObject *type = Py_TYPE(object);
    if (type->tp_basicsize != sizeof(struct bound_method) ||
        strcmp(last_part(type), "nb_bound_method") != 0)
        return object;
    PyObject *function = ((struct bound_method *)object)->function;
    return function && pinsight_is_nanobind(function) ? function : object;
}
