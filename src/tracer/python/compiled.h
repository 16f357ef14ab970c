/* The module of compiled code, which reports events without a frame (execution.h). */
#ifndef PINSIGHT_PYTHON_COMPILED_H
#define PINSIGHT_PYTHON_COMPILED_H

#include "tracer/python/versions.h"

/*
 * Returns the globals of the module that the file of the code belongs to: the main script, or an
 * imported module with the name of the file and its folders. Borrowed; NULL if there is none. Runs
 * no code of the program. Slow path. Holds the GIL. Keeps a pending exception.
 */
PyObject *pinsight_compiled_globals(PyCodeObject *code);

#endif
