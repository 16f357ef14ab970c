/* The qualified name of a code object. */
#ifndef PINSIGHT_PYTHON_QUALNAME_H
#define PINSIGHT_PYTHON_QUALNAME_H

#include "tracer/python/versions.h"

/*
 * Returns the name as UTF-8, which the caller frees. From 3.11 on, the code object has the name.
 * Before, the name is derived as the compiler would do it. If the code object that has this one as
 * a constant ran while PInsight was active, it gives the name. Otherwise the functions and classes
 * in `globals` give it, or co_name. Runs no code of the program. Holds the GIL.
 */
char *pinsight_qualname(PyCodeObject *code, PyObject *globals);

#endif
