/*
 * trio's tasks. They are found by the variable in which trio's loop has the running task, and are
 * read by the slots of trio's own classes. No code of the program runs. All functions hold the GIL.
 * They set no exception, and there is no pending one.
 */
#ifndef PINSIGHT_CPYTHON_TRIO_H
#define PINSIGHT_CPYTHON_TRIO_H

#include "tracer/python/versions.h"

/* For the task that runs in this thread, if it runs this coroutine: its name, and the coroutine of
 * the task that owns its nursery. New references, or NULL. */
PyObject *pinsight_trio_name(PyObject *coroutine);
PyObject *pinsight_trio_parent(PyObject *coroutine);

/* Returns the code of trio's function that schedules a task, borrowed, or NULL if trio is not
 * loaded. */
PyCodeObject *pinsight_trio_scheduler(void);

/* Returns the coroutine of the task that the running function schedules (its argument `task`), as a
 * new reference, or NULL. */
PyObject *pinsight_trio_scheduled(void);

#endif
