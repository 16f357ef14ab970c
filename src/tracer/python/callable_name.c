/* Names of callables written in C; see callable_name.h. */
#include "tracer/python/callable_name.h"

#include "tracer/python/cpp_bindings.h"
#include "tracer/python/cpython/calls.h"
#include "tracer/python/f2py.h"
#include "tracer/python/text.h"

#include <stdlib.h>
#include <string.h>

const PyMethodDef *pinsight_new_method;

PyObject *pinsight_type_dict(PyTypeObject *type) {
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *dict = PyType_GetDict(type);
    Py_XDECREF(dict); /* the type keeps it */
    return dict;
#else
    return type->tp_dict;
#endif
}

int pinsight_callable_name_start(void) {
    PyObject *object_new = PyDict_GetItemString(pinsight_type_dict(&PyBaseObject_Type), "__new__");
    if (!object_new || !PyCFunction_Check(object_new))
        return -1;
    pinsight_new_method = ((PyCFunctionObject *)object_new)->m_ml;
    return 0;
}

/* Returns "module.name", or "name" for builtins. */
static char *join(const char *module, const char *name) {
    if (strcmp(module, "?") == 0 || strcmp(module, "builtins") == 0)
        return strdup(name);
    char *text = malloc(strlen(module) + strlen(name) + 2);
    if (text) {
        strcpy(text, module);
        strcat(text, ".");
        strcat(text, name);
    }
    return text;
}

static PyObject *dict_string(PyObject *dict, const char *key) {
    PyObject *value = dict && PyDict_Check(dict) ? PyDict_GetItemString(dict, key) : NULL;
    return value && PyUnicode_Check(value) ? value : NULL;
}

/* Returns the module of a type: from the dict of a class or heap type, or else the text before the
 * last dot. */
static char *type_module(PyTypeObject *type) {
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        PyObject *module = dict_string(pinsight_type_dict(type), "__module__");
        if (module)
            return pinsight_utf8_copy(module);
    }
    const char *dot = strrchr(type->tp_name, '.');
    return dot ? strndup(type->tp_name, (size_t)(dot - type->tp_name)) : strdup("builtins");
}

static char *type_name(PyTypeObject *type, const char *module) {
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        const char *dot = strrchr(type->tp_name, '.');
        return join(module, dot ? dot + 1 : type->tp_name);
    }
    char *own = pinsight_utf8_copy(((PyHeapTypeObject *)type)->ht_qualname);
    char *text = own ? join(module, own) : NULL;
    free(own);
    return text;
}

/* Names it "<type>.<name>". */
static void name_member(PyTypeObject *type, const char *name, struct pinsight_callable_name *out) {
    out->module = type_module(type);
    char *owner = out->module ? type_name(type, out->module) : NULL;
    if (owner && (out->name = malloc(strlen(owner) + strlen(name) + 2))) {
        strcpy(out->name, owner);
        strcat(out->name, ".");
        strcat(out->name, name);
    }
    free(owner);
}

void pinsight_name_type(PyTypeObject *type, struct pinsight_callable_name *out) {
    out->module = type_module(type);
    out->name = out->module ? type_name(type, out->module) : NULL;
    out->owner = (PyObject *)type;
}

void pinsight_name_new(PyTypeObject *type, struct pinsight_callable_name *out) {
    name_member(type, "__new__", out);
    out->owner = (PyObject *)type;
}

void pinsight_name_descriptor(PyDescrObject *descriptor, struct pinsight_callable_name *out) {
    pinsight_name_property(descriptor, "", out);
}

void pinsight_name_property(PyDescrObject *descriptor, const char *way,
                            struct pinsight_callable_name *out) {
    char *own = pinsight_utf8_copy(descriptor->d_name), *name;
    if (own && (name = malloc(strlen(own) + strlen(way) + 1))) {
        name_member(descriptor->d_type, strcat(strcpy(name, own), way), out);
        free(name);
    }
    free(own);
    out->owner = (PyObject *)descriptor;
}

static bool is_function_of(PyObject *object, const PyMethodDef *method) {
    return object && PyCFunction_Check(object) && ((PyCFunctionObject *)object)->m_ml == method;
}

bool pinsight_entry_has_method(PyObject *value, const PyMethodDef *method) {
    if (Py_TYPE(value) == &PyMethodDescr_Type || Py_TYPE(value) == &PyClassMethodDescr_Type)
        return ((PyMethodDescrObject *)value)->d_method == method;
    if (Py_TYPE(value) == &PyInstanceMethod_Type)
        return is_function_of(PyInstanceMethod_GET_FUNCTION(value), method);
    if (Py_TYPE(value) == &PyStaticMethod_Type) {
        /* The function of a static method has the type as its self. The wrapper's field is private,
         * so the function is obtained by binding. */
        PyObject *function = PyStaticMethod_Type.tp_descr_get(value, NULL, NULL);
        bool same = is_function_of(function, method);
        Py_XDECREF(function);
        return same;
    }
    return is_function_of(value, method);
}

/* Returns the type in the method resolution order that defines `method`. */
static PyTypeObject *find_definer(PyTypeObject *type, const PyMethodDef *method, PyObject **owner) {
    PyObject *order = type->tp_mro;
    for (Py_ssize_t i = 0; order && PyTuple_Check(order) && i < PyTuple_GET_SIZE(order); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(order, i);
        PyObject *dict = pinsight_type_dict(base);
        PyObject *value = dict ? PyDict_GetItemString(dict, method->ml_name) : NULL;
        if (value && pinsight_entry_has_method(value, method)) {
            *owner = value;
            return base;
        }
    }
    return NULL;
}

void pinsight_name_builtin(PyCFunctionObject *function, struct pinsight_callable_name *out) {
    const PyMethodDef *method = function->m_ml;
    PyObject *self = function->m_self;
    if (self && !PyModule_Check(self)) {
        PyTypeObject *definer = NULL;
        if (PyType_Check(self))
            definer = find_definer((PyTypeObject *)self, method, &out->owner);
        if (!definer)
            definer = find_definer(Py_TYPE(self), method, &out->owner);
        if (definer) {
            name_member(definer, method->ml_name, out);
            return;
        }
    }
    PyTypeObject *class = pinsight_is_pybind11(function) ? pinsight_pybind11_class(function) : NULL;
    if (class) {
        name_member(class, method->ml_name, out);
        Py_DECREF(class);
    } else if (pinsight_pybind11_is_nameless(function)) {
        out->module = strdup("pybind11"); /* C++ returned it */
        out->name = strdup("pybind11.cpp_function");
    } else if (function->m_module && PyUnicode_Check(function->m_module)) {
        out->module = pinsight_utf8_copy(function->m_module);
        out->name = out->module ? join(out->module, method->ml_name) : NULL;
    } else if (self && !PyModule_Check(self)) {
        name_member(PyType_Check(self) ? (PyTypeObject *)self : Py_TYPE(self), method->ml_name,
                    out);
    } else {
        out->module = strdup("?");
        out->name = strdup(method->ml_name);
    }
    /* A function of a module keeps its table entry alive. Another function's self may be data of
     * the program, which must not be kept alive. */
    if (!self || PyModule_Check(self) || PyCapsule_CheckExact(self))
        out->owner = (PyObject *)function;
}

static bool is_ufunc(PyObject *object) {
    return strcmp(Py_TYPE(object)->tp_name, "numpy.ufunc") == 0;
}

/* Returns whether it is a Cython function of a module for all versions (Py_LIMITED_API), some of
 * which cannot be watched. */
static bool is_unwatched_cython(const PyTypeObject *type) {
    const char *dot = type->tp_weaklistoffset == 0 ? strrchr(type->tp_name, '.') : NULL;
    return dot && strcmp(dot + 1, "cython_function_or_method") == 0;
}

bool pinsight_type_is_mixed(PyTypeObject *type) {
    return strcmp(type->tp_name, "numpy.ufunc") == 0 || is_unwatched_cython(type) ||
           pinsight_is_nanobind_type(type);
}

/* The first fields of NumPy's PyUFuncObject (numpy/ufuncobject.h), unchanged since 1.0. */
struct ufunc_head {
    PyObject_HEAD int inputs, outputs, arguments, identity;
    void *functions, *data;
    int type_count, reserved;
    const char *name;
};

/* Returns whether a ufunc is permanent. One that was made from a Python function (numpy.frompyfunc)
 * may be freed. */
static bool is_lasting_ufunc(PyObject *object) {
    const char *name = ((struct ufunc_head *)object)->name;
    return name && !strstr(name, "(vectorized)");
}

static bool is_lasting_cython(PyObject *object);

bool pinsight_object_has_own_name(PyObject *object) {
    if (is_ufunc(object))
        return is_lasting_ufunc(object);
    if (is_unwatched_cython(Py_TYPE(object)))
        return is_lasting_cython(object);
    if (pinsight_is_f2py(object))
        return true;
    if (pinsight_is_nanobind(object)) /* cannot be watched */
        return pinsight_nanobind_lasts(object);
    /* Only objects that can be watched are identified one by one. NumPy's dispatchers cannot, and
     * belong to their modules. */
    if (strstr(Py_TYPE(object)->tp_name, "_ArrayFunctionDispatcher"))
        return true;
    if (strcmp(Py_TYPE(object)->tp_name, "functools.partial") == 0)
        return false;
    return Py_TYPE(object)->tp_weaklistoffset != 0;
}

PyObject *pinsight_type_find(PyTypeObject *type, const char *name) {
    PyObject *order = type->tp_mro;
    for (Py_ssize_t i = 0; order && PyTuple_Check(order) && i < PyTuple_GET_SIZE(order); i++) {
        PyObject *dict = pinsight_type_dict((PyTypeObject *)PyTuple_GET_ITEM(order, i));
        PyObject *entry = dict ? PyDict_GetItemString(dict, name) : NULL;
        if (entry)
            return entry;
    }
    return NULL;
}

PyObject *pinsight_own_attribute(PyObject *object, const char *name) {
    /* A class that defines it would run code. */
    PyObject *key =
        pinsight_type_has(Py_TYPE(object), name) ? NULL : PyUnicode_InternFromString(name);
    PyObject *value = key ? PyObject_GenericGetAttr(object, key) : NULL;
    Py_XDECREF(key);
    PyErr_Clear();
    return value;
}

/* Returns a string attribute that the C type computes (a getset), such as Cython's __qualname__. */
static PyObject *computed_string(PyObject *object, const char *attribute) {
    PyObject *order = Py_TYPE(object)->tp_mro;
    for (Py_ssize_t i = 0; order && PyTuple_Check(order) && i < PyTuple_GET_SIZE(order); i++) {
        PyObject *dict = pinsight_type_dict((PyTypeObject *)PyTuple_GET_ITEM(order, i));
        PyObject *value = dict ? PyDict_GetItemString(dict, attribute) : NULL;
        if (!value)
            continue;
        if (Py_TYPE(value) != &PyGetSetDescr_Type && Py_TYPE(value) != &PyMemberDescr_Type)
            return NULL;
        PyObject *text = Py_TYPE(value)->tp_descr_get(value, object, (PyObject *)Py_TYPE(object));
        if (text && PyUnicode_Check(text))
            return text;
        Py_XDECREF(text);
        PyErr_Clear();
        return NULL;
    }
    return NULL;
}

/* Returns whether a Cython function is permanent. One that a function makes may be freed. Others
 * belong to their module. */
static bool is_lasting_cython(PyObject *object) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *name = computed_string(object, "__qualname__");
    char *text = name ? pinsight_utf8_copy(name) : NULL;
    bool lasts = text && !strstr(text, "<locals>");
    free(text);
    Py_XDECREF(name);
    PyErr_Restore(type, value, traceback);
    return lasts;
}

/* Returns a string attribute of nanobind's functions, from their getattr, which is C code of
 * nanobind. */
static PyObject *nanobind_string(PyObject *object, const char *attribute) {
    if (!pinsight_is_nanobind(object))
        return NULL;
    PyObject *text = PyObject_GetAttrString(object, attribute);
    if (text && PyUnicode_Check(text))
        return text;
    Py_XDECREF(text);
    PyErr_Clear();
    return NULL;
}

static PyObject *own_string(PyObject *object, const char *attribute) {
    PyObject *text = dict_string(pinsight_instance_dict(object), attribute);
    if (text) {
        Py_INCREF(text);
        return text;
    }
    text = computed_string(object, attribute);
    return text ? text : nanobind_string(object, attribute);
}

void pinsight_name_object(PyObject *object, struct pinsight_callable_name *out) {
    if (pinsight_is_f2py(object)) {
        pinsight_name_f2py(object, out);
        return;
    }
    if (is_ufunc(object) && is_lasting_ufunc(object)) {
        out->module = strdup("numpy");
        out->name = join("numpy", ((struct ufunc_head *)object)->name);
        out->owner = object;
        return;
    }
    PyObject *name = own_string(object, "__qualname__");
    if (!name)
        name = own_string(object, "__name__");
    if (!name) {
        pinsight_name_type(Py_TYPE(object), out);
        return;
    }
    PyObject *module = own_string(object, "__module__");
    char *text = pinsight_utf8_copy(name);
    out->module = module ? pinsight_utf8_copy(module) : type_module(Py_TYPE(object));
    out->name = text && out->module ? join(out->module, text) : NULL;
    free(text);
    Py_DECREF(name);
    Py_XDECREF(module);
    if (strstr(Py_TYPE(object)->tp_name, "_ArrayFunctionDispatcher") ||
        is_unwatched_cython(Py_TYPE(object)) || pinsight_is_nanobind(object))
        out->owner = object;
}
