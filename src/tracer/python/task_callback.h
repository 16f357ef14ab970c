/* Callables that an event loop calls back, or that a greenlet runs. No code of the program runs
 * here. All functions hold the GIL. */
#ifndef PINSIGHT_PYTHON_TASK_CALLBACK_H
#define PINSIGHT_PYTHON_TASK_CALLBACK_H

#include "tracer/python/versions.h"

/* Returns the callable within a functools.partial, borrowed from it, or else `callback` itself.
 * There is no pending exception. */
PyObject *pinsight_callback_callee(PyObject *callback);

/* Returns the code of a Python function or method, borrowed, or NULL. */
PyCodeObject *pinsight_callback_code(PyObject *callback);

/* Returns the name of a callable, which the caller frees. NULL if memory is short. */
char *pinsight_callback_name(PyObject *callback);

#endif
