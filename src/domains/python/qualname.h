/* The qualified name of a code object. */
#ifndef PINSIGHT_PYTHON_QUALNAME_H
#define PINSIGHT_PYTHON_QUALNAME_H

#include "domains/python/versions.h"

/*
 * The name as UTF-8 that the caller frees. From 3.11 on the code object has it. Before, it is
 * worked out as the compiler would: from the code object that this one is a constant of, if that
 * one ran while PInsight was there, else from the functions and classes in `globals`; else it is
 * co_name. Runs no code of the program's. Holds the GIL.
 */
char *pinsight_qualname(PyCodeObject *code, PyObject *globals);

#endif
