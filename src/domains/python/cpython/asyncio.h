/*
 * asyncio's futures and tasks, in C and in Python: read by the descriptors of asyncio's own types,
 * and by name of instances that are written in Python. So no code of the program's runs, whatever a
 * subclass has of its own. All hold the GIL; none sets an exception.
 */
#ifndef PINSIGHT_CPYTHON_ASYNCIO_H
#define PINSIGHT_CPYTHON_ASYNCIO_H

#include "domains/python/versions.h"

/* Look for asyncio's types where they are not known yet: its modules may be loaded now. True once
 * those written in C are known. */
bool pinsight_asyncio_meet(void);

/* `loaded` is called with each task that is made, after its own initialisation has succeeded;
 * `before` before that. Done once the types are known; again does nothing. False where that is not
 * possible. */
bool pinsight_asyncio_lead(int (*init)(PyObject *task, PyObject *arguments, PyObject *keywords),
                           initproc *own);

/* The task that a callback of an event loop is a step of, borrowed; NULL for any other callback. */
PyObject *pinsight_asyncio_task_of(PyObject *callback);

/* The coroutine whose send() or throw() a callback is, borrowed; NULL for any other callback. */
PyObject *pinsight_asyncio_coroutine_of(PyObject *callback);

/* Is it a task? */
bool pinsight_asyncio_is_task(PyObject *object);

/* Does an event loop call back from this code? */
bool pinsight_asyncio_is_handle(const void *code);

enum pinsight_asyncio_state {
    PINSIGHT_ASYNCIO_PENDING,
    PINSIGHT_ASYNCIO_RETURNED,
    PINSIGHT_ASYNCIO_RAISED,
    PINSIGHT_ASYNCIO_CANCELLED,
};
enum pinsight_asyncio_state pinsight_asyncio_state(PyObject *task);

/* New references; NULL where a task has none. */
PyObject *pinsight_asyncio_coroutine(PyObject *task);
PyObject *pinsight_asyncio_awaited(PyObject *task);
PyObject *pinsight_asyncio_name(PyObject *task);

/* Functions of the type of futures that are redirected to ours: see method_table.h. */
PyMethodDef *pinsight_asyncio_future_method(const char *name);

#endif
