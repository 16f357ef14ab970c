/*
 * uvloop before CPython 3.12. The interpreter does not report calls of Cython functions, such as
 * the one that runs the loop. PInsight reports that call, so that the functions that the loop calls
 * are within it, as in later versions. Does nothing from CPython 3.12 on.
 */
#ifndef PINSIGHT_PYTHON_TASK_LOOPS_H
#define PINSIGHT_PYTHON_TASK_LOOPS_H

#include "tracer/python/versions.h"

/* Begins to watch uvloop, for good. `module` has just been loaded; NULL checks the loaded modules.
 * Repeated calls do nothing. Holds the GIL. There is no pending exception, and none is set. */
void pinsight_task_loops_watch(PyObject *module);

#endif
