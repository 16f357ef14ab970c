/* The name of a callable that is written in C, and how long the name is valid. */
#ifndef PINSIGHT_PYTHON_CALLABLE_NAME_H
#define PINSIGHT_PYTHON_CALLABLE_NAME_H

#include "tracer/python/versions.h"

struct pinsight_callable_name {
    char *name;   /* module and qualified name ("numpy.dot", "list.append"); the caller frees it */
    char *module; /* name of the module; the caller frees it */
    /* The object that must stay alive for the key to stay this callable's. Borrowed. NULL if there
     * is none. */
    PyObject *owner;
};

/* Finds the method table entry of __new__. Returns 0 or -1. */
int pinsight_callable_name_start(void);

/* The method table entry that the __new__ of all types share. */
extern const PyMethodDef *pinsight_new_method;

/* Returns the type's own dict, borrowed, or NULL if there is none. */
PyObject *pinsight_type_dict(PyTypeObject *type);

/* Returns the entry with a name of the first class in the type's method resolution order that has
 * one, borrowed, or NULL. */
PyObject *pinsight_type_find(PyTypeObject *type, const char *name);

/* Returns whether there is such an entry. */
static inline bool pinsight_type_has(PyTypeObject *type, const char *name) {
    return pinsight_type_find(type, name) != NULL;
}

/* Returns an attribute of the object itself, a new reference, or NULL. Reads plain attributes only,
 * so that no code of the program runs. There is no pending exception. */
PyObject *pinsight_own_attribute(PyObject *object, const char *name);

/* Returns whether an entry of a type's dict is, or contains, a function with that entry of a method
 * table. Knows methods and static methods of C, and methods of pybind11. Sets no exception. */
bool pinsight_entry_has_method(PyObject *entry, const PyMethodDef *method);

/* Name callables by their kind. These functions set no exception. */
void pinsight_name_builtin(PyCFunctionObject *function, struct pinsight_callable_name *out);
void pinsight_name_descriptor(PyDescrObject *descriptor, struct pinsight_callable_name *out);
/* Names it <type>.<name>, followed by `way`, such as ".__set__". */
void pinsight_name_property(PyDescrObject *descriptor, const char *way,
                            struct pinsight_callable_name *out);
void pinsight_name_type(PyTypeObject *type, struct pinsight_callable_name *out);
/* Names any other object: ufuncs, dispatchers, Cython functions, and objects with a name in their
 * __dict__. Otherwise the name is the type's. */
void pinsight_name_object(PyObject *object, struct pinsight_callable_name *out);
/* Names it <type>.__new__. */
void pinsight_name_new(PyTypeObject *type, struct pinsight_callable_name *out);

/* Returns whether an object has a name of its own. Otherwise it has its type's name. */
bool pinsight_object_has_own_name(PyObject *object);

/* Returns whether some objects of a type have names of their own and others have not. */
bool pinsight_type_is_mixed(PyTypeObject *type);

#endif
