/* What to call a callable written in C, and how long that answer holds. */
#ifndef PINSIGHT_PYTHON_CALLABLE_NAME_H
#define PINSIGHT_PYTHON_CALLABLE_NAME_H

#include "domains/python/versions.h"

struct pinsight_callable_name {
    char *name;   /* module and qualified name ("numpy.dot", "list.append"); the caller frees */
    char *module; /* module's name; the caller frees */
    /* What must stay alive for the key to stay this callable's: borrowed, NULL where nothing does.
     */
    PyObject *owner;
};

/* Learn what the interpreter uses for itself (the method table entry of __new__). Returns 0 or -1.
 */
int pinsight_callable_name_start(void);

/* The entry that all types' __new__ share. */
extern const PyMethodDef *pinsight_new_method;

/* The type's own name space, borrowed; NULL where there is none. */
PyObject *pinsight_type_dict(PyTypeObject *type);

/* Has a class of the type's method resolution order an entry of that name? */
bool pinsight_type_has(PyTypeObject *type, const char *name);

/* The names of callables by what they are. None sets an exception. */
void pinsight_name_builtin(PyCFunctionObject *function, struct pinsight_callable_name *out);
void pinsight_name_descriptor(PyDescrObject *descriptor, struct pinsight_callable_name *out);
/* <type>.<name> with `way` behind it, such as ".__set__" */
void pinsight_name_property(PyDescrObject *descriptor, const char *way,
                            struct pinsight_callable_name *out);
void pinsight_name_type(PyTypeObject *type, struct pinsight_callable_name *out);
/* Any other: ufuncs, dispatchers, Cython functions, what has its name in its __dict__; else the
 * type's. */
void pinsight_name_object(PyObject *object, struct pinsight_callable_name *out);
/* <type>.__new__ */
void pinsight_name_new(PyTypeObject *type, struct pinsight_callable_name *out);

/* Does this object have a name of its own, or is it called like its type? */
bool pinsight_object_has_own_name(PyObject *object);

/* Does the answer differ between objects of this type? */
bool pinsight_type_is_mixed(PyTypeObject *type);

#endif
