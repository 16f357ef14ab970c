/*
 * The module greenlet, from 2.0 on: its type, and the functions that switch to another greenlet,
 * from its C API (the capsule greenlet._C_API). No code of the program runs. All functions hold the
 * GIL.
 */
#ifndef PINSIGHT_CPYTHON_GREENLET_H
#define PINSIGHT_CPYTHON_GREENLET_H

#include "tracer/python/versions.h"

/* The functions that switch: the type's methods, their C equivalents, and the release of the last
 * reference to an unfinished greenlet, which raises an exception in it. Also the function that
 * makes a greenlet. */
struct pinsight_greenlet_ways {
    PyCFunctionWithKeywords switch_to;
    PyCFunction throw_into;
    PyObject *(*c_switch)(PyObject *greenlet, PyObject *arguments, PyObject *keywords);
    PyObject *(*c_throw)(PyObject *greenlet, PyObject *type, PyObject *value, PyObject *traceback);
    destructor dealloc;
    initproc init;
};

/*
 * Redirects these functions. *own gets the original ones, which the new ones must call. `module`
 * contains greenlets; NULL checks the loaded modules. Returns false if the module is not loaded or
 * not known. Repeated calls do nothing. Sets no exception, and there is no pending one.
 */
bool pinsight_greenlet_redirect(PyObject *module, const struct pinsight_greenlet_ways *to,
                                struct pinsight_greenlet_ways *own);

/* ---- after the redirection ---- */

/* Returns whether a greenlet has begun and has not ended. */
bool pinsight_greenlet_is_active(PyObject *greenlet);
bool pinsight_greenlet_has_begun(PyObject *greenlet);
/* Returns whether a greenlet is the first one of a thread. */
bool pinsight_greenlet_is_main(PyObject *greenlet);

/* Returns the greenlet that runs in this thread, as a new reference, or NULL at the interpreter's
 * end. May run code of this thread's greenlets that another thread has released, so it must be
 * called where code of the program may run. */
PyObject *pinsight_greenlet_current(void);

#endif
