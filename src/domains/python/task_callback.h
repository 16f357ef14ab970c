/* What an event loop calls back, or a greenlet runs: whatever can be called. No code of the
 * program's runs. All hold the GIL. */
#ifndef PINSIGHT_PYTHON_TASK_CALLBACK_H
#define PINSIGHT_PYTHON_TASK_CALLBACK_H

#include "domains/python/versions.h"

/* What a functools.partial calls, borrowed of it; anything else itself. Keeps no pending exception.
 */
PyObject *pinsight_callback_callee(PyObject *callback);

/* The code of a function or method that is written in Python, borrowed; NULL for anything else. */
PyCodeObject *pinsight_callback_code(PyObject *callback);

/* Its name, to be freed; NULL where memory is short. */
char *pinsight_callback_name(PyObject *callback);

#endif
