/*
 * asyncio's futures and tasks, in C and in Python. They are read by the descriptors of asyncio's
 * own types, and by names from instances of the Python types. Therefore no code of the program
 * runs, whatever members a subclass has. All functions hold the GIL and set no exception.
 */
#ifndef PINSIGHT_CPYTHON_ASYNCIO_H
#define PINSIGHT_CPYTHON_ASYNCIO_H

#include "tracer/python/versions.h"

/* Looks for asyncio's types if they are not known yet, because its modules may be loaded by now.
 * Returns whether the types written in C are known. */
bool pinsight_asyncio_find_types(void);

/* Redirects the initialisation of tasks, also of subclasses, to `init`. *own gets the original
 * function, which `init` must call. Repeated calls do nothing. Returns false if the types are not
 * known. */
bool pinsight_asyncio_redirect(initproc init, initproc *own);

/* Returns the task of which a callback of an event loop is a step, borrowed; NULL for any other
 * callback. */
PyObject *pinsight_asyncio_task_of(PyObject *callback);

/* Returns the coroutine whose send() or throw() a callback is, borrowed; NULL for any other
 * callback. */
PyObject *pinsight_asyncio_coroutine_of(PyObject *callback);

/* Returns whether an object is a task. */
bool pinsight_asyncio_is_task(PyObject *object);

/* Returns whether a code object is the one from which an event loop makes its callbacks. */
bool pinsight_asyncio_is_handle(const void *code);

enum pinsight_asyncio_state {
    PINSIGHT_ASYNCIO_PENDING,
    PINSIGHT_ASYNCIO_RETURNED,
    PINSIGHT_ASYNCIO_RAISED,
    PINSIGHT_ASYNCIO_CANCELLED,
};
enum pinsight_asyncio_state pinsight_asyncio_state(PyObject *task);

/* Return new references, or NULL if the task has none. */
PyObject *pinsight_asyncio_coroutine(PyObject *task);
PyObject *pinsight_asyncio_awaited(PyObject *task);
PyObject *pinsight_asyncio_name(PyObject *task);

/* ---- event loops that are not written in Python, and call a step directly ---- */

#define PINSIGHT_ASYNCIO_WRAPPERS 2 /* number of types of callbacks that are steps of a task */

/* Returns whether a task belongs to such a loop. */
bool pinsight_asyncio_is_foreign(PyObject *task);

/* Find the types of callbacks: from a task that was made and has not begun, and from a future that
 * a task waits for. They do nothing once the types are known. There is no pending exception. */
void pinsight_asyncio_seek_step(PyObject *task);
void pinsight_asyncio_seek_wakeup(PyObject *future);

/* Return the results: a type, and the entry of a method table, which some versions have in place of
 * the second type. NULL if it is not known or does not exist. */
PyTypeObject *pinsight_asyncio_wrapper(int number);
PyMethodDef *pinsight_asyncio_wakeup(void);

/* Redirects the calls of callbacks of such a type to `to`. Returns the original function. Returns
 * NULL if the type is not known, or is redirected already. */
ternaryfunc pinsight_asyncio_redirect_wrapper(int number, ternaryfunc to);

/* Returns the method table entry of a function of futures, or NULL if there is none. */
PyMethodDef *pinsight_asyncio_future_method(const char *name);

#endif
