/*
 * Callables that pybind11 and nanobind made of C++ functions.
 *
 * A function of pybind11 is a built-in function of the interpreter. It knows its module, and not
 * its class. The class is found once for each function, among pybind11's classes: it is the one
 * that contains the function. A function of nanobind knows its qualified name.
 */
#ifndef PINSIGHT_PYTHON_CPP_BINDINGS_H
#define PINSIGHT_PYTHON_CPP_BINDINGS_H

#include "tracer/python/versions.h"

#include <stdbool.h>

/* Returns whether pybind11 made a built-in function. Its entry of a method table is freed with it.
 */
bool pinsight_is_pybind11(const PyCFunctionObject *function);

/* Returns whether pybind11 made a built-in function that has no name, such as one that C++
 * returned. */
bool pinsight_pybind11_is_nameless(const PyCFunctionObject *function);

/* Returns the class of pybind11 that contains a function of pybind11, a new reference. Returns NULL
 * if there is none. Sets no exception, and there is no pending one. */
PyTypeObject *pinsight_pybind11_class(const PyCFunctionObject *function);

/* Returns whether a type's objects are functions or methods of nanobind. */
bool pinsight_is_nanobind_type(const PyTypeObject *type);

static inline bool pinsight_is_nanobind(PyObject *object) {
    return pinsight_is_nanobind_type(Py_TYPE(object));
}

/* Returns whether a function of nanobind belongs to a module or a class, and therefore stays. One
 * without such a scope may be freed. Keeps a pending exception. */
bool pinsight_nanobind_lasts(PyObject *object);

/* Returns the function of a bound method of nanobind, borrowed. Returns any other object as it is.
 */
PyObject *pinsight_nanobind_unbound(PyObject *object);

#endif
