/*
 * Names of Fortran routines that f2py made callable, such as scipy.linalg.blas.dgemm. Such an
 * object knows the routine's name, and belongs to a module that it does not know.
 */
#ifndef PINSIGHT_PYTHON_F2PY_H
#define PINSIGHT_PYTHON_F2PY_H

#include "tracer/python/callable_name.h"

/* Returns whether the object is such a callable and has a name. Keeps a pending exception. */
bool pinsight_is_f2py(PyObject *object);

/* Names it by the public module beside its extension module, or by that one. Sets no exception. */
void pinsight_name_f2py(PyObject *object, struct pinsight_callable_name *out);

#endif
