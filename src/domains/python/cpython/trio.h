/*
 * trio's tasks: found by the variable in which its loop keeps the one that runs, and read by the
 * slots of trio's own classes. No code of the program's runs. All hold the GIL; none sets an
 * exception, or expects one.
 */
#ifndef PINSIGHT_CPYTHON_TRIO_H
#define PINSIGHT_CPYTHON_TRIO_H

#include "domains/python/versions.h"

/* The task that runs in this thread, where it runs this coroutine: its name, and the coroutine of
 * the task whose nursery it is in. New references, or NULL. */
PyObject *pinsight_trio_name(PyObject *coroutine);
PyObject *pinsight_trio_parent(PyObject *coroutine);

/* The code of trio's function that schedules a task, borrowed; NULL where trio is not loaded. */
PyCodeObject *pinsight_trio_scheduler(void);

/* The coroutine of a task that the function that runs, which schedules it, has as its argument
 * `task`; a new reference, or NULL. */
PyObject *pinsight_trio_scheduled(void);

#endif
