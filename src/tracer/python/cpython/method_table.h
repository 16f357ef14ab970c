/*
 * Redirects functions of the interpreter's own modules, by their entries in the method tables,
 * which the interpreter reads at each call. The function objects stay unchanged, so that a program
 * sees no difference.
 */
#ifndef PINSIGHT_CPYTHON_METHOD_TABLE_H
#define PINSIGHT_CPYTHON_METHOD_TABLE_H

#include "tracer/python/versions.h"

/*
 * Makes `to` the function of an entry with these flags (ml_flags). *own gets the original function
 * before `to` can be called. Returns false if the flags differ, or if the table cannot be written;
 * then only *own may change. Does nothing if the entry has `to` already.
 */
bool pinsight_method_redirect(PyMethodDef *method, int flags, PyCFunction to, PyCFunction *own);

/*
 * Like pinsight_method_redirect(), for a function of a module. Also returns false if `function`
 * (borrowed, or NULL) is not written in C. The hash of a function object depends on its C function,
 * so the object is moved in the sets and dicts of its module that contain it (os.supports_fd).
 * Holds the GIL. Keeps a pending exception.
 */
bool pinsight_function_redirect(PyObject *function, int flags, PyCFunction to, PyCFunction *own);

/* Returns the method table entry of a method that is written in C or made by Cython, or NULL if the
 * type has none of this name. Holds the GIL. Sets no exception. */
PyMethodDef *pinsight_method_of(PyTypeObject *type, const char *name);

#endif
