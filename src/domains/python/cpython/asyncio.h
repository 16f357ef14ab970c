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
bool pinsight_asyncio_find_types(void);

/* `init` initialises tasks from now on, also those of subclasses. *own gets what did so before,
 * which it has to call. Once the types are known; again does nothing. False where they are not. */
bool pinsight_asyncio_redirect(initproc init, initproc *own);

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

/* ---- event loops that are not written in Python call a step back by itself ---- */

#define PINSIGHT_ASYNCIO_WRAPPERS 2 /* types of callbacks that are steps of a task */

/* Has a task such a loop? */
bool pinsight_asyncio_is_foreign(PyObject *task);

/* Find what calls back: of a task that was made, and has not begun; and of what one waits for. Once
 * known, they do nothing. Keep no pending exception. */
void pinsight_asyncio_seek_step(PyObject *task);
void pinsight_asyncio_seek_wakeup(PyObject *future);

/* What was found: the types, and the entry of a method table, which some versions have in place of
 * the second; NULL where it is not known, or not there. */
PyTypeObject *pinsight_asyncio_wrapper(int number);
PyMethodDef *pinsight_asyncio_wakeup(void);

/* Callbacks of such a type call `to` from now on. Returns what they called before; NULL where the
 * type is not known, or that is done. */
ternaryfunc pinsight_asyncio_redirect_wrapper(int number, ternaryfunc to);

/* The entry of a function of the type of futures in its method table; NULL where there is none. */
PyMethodDef *pinsight_asyncio_future_method(const char *name);

#endif
