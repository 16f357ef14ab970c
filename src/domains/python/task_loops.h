/*
 * uvloop before CPython 3.12: the interpreter does not report calls of what Cython made, such as
 * the one that runs the loop. It is reported from here, so that the functions that the loop calls
 * are within it as in later versions. There is nothing of it from CPython 3.12 on.
 */
#ifndef PINSIGHT_PYTHON_TASK_LOOPS_H
#define PINSIGHT_PYTHON_TASK_LOOPS_H

#include "domains/python/versions.h"

/* From now on, for good, where uvloop is `module` or, where that is NULL, is loaded. Again does
 * nothing. Holds the GIL; there is no pending exception, and none is set. */
void pinsight_task_loops_watch(PyObject *module);

#endif
