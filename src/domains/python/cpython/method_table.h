/*
 * Functions of the interpreter's own modules that are redirected to ours: their entries in the
 * method tables, which the interpreter reads at each call. The function objects stay as they are,
 * so that a program sees no difference.
 */
#ifndef PINSIGHT_CPYTHON_METHOD_TABLE_H
#define PINSIGHT_CPYTHON_METHOD_TABLE_H

#include "domains/python/versions.h"

/*
 * Make `to` the function of an entry that has these flags (ml_flags), and give in *own what it was
 * before: *own is set before `to` can be called. Returns false, and changes nothing but *own, where
 * the flags differ, or the table may not be written. An entry that leads to `to` stays as it is.
 */
bool pinsight_method_redirect(PyMethodDef *method, int flags, PyCFunction to, PyCFunction *own);

/*
 * The same for a function of a module; false also where `function` (borrowed, may be NULL) is none
 * that is written in C. What a function is called for is part of its hash: in sets and dictionaries
 * that a module has (os.supports_fd) it is put into its new place. Holds the GIL; keeps a pending
 * exception.
 */
bool pinsight_function_redirect(PyObject *function, int flags, PyCFunction to, PyCFunction *own);

/* The entry of a method of a type, which is written in C or made by Cython; NULL where there is
 * none of this name. Holds the GIL; sets no exception. */
PyMethodDef *pinsight_method_of(PyTypeObject *type, const char *name);

#endif
