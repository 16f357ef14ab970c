/*
 * The module greenlet, from 2.0 on: its type, and what switches to another greenlet, by the
 * functions that it gives to C (the capsule greenlet._C_API). No code of the program's runs. All
 * hold the GIL.
 */
#ifndef PINSIGHT_CPYTHON_GREENLET_H
#define PINSIGHT_CPYTHON_GREENLET_H

#include "domains/python/versions.h"

/* What switches: the type's methods, the same for C, and the end of the last reference to one that
 * is not over, which raises in it. And what makes one. */
struct pinsight_greenlet_ways {
    PyCFunctionWithKeywords switch_to;
    PyCFunction throw_into;
    PyObject *(*c_switch)(PyObject *greenlet, PyObject *arguments, PyObject *keywords);
    PyObject *(*c_throw)(PyObject *greenlet, PyObject *type, PyObject *value, PyObject *traceback);
    destructor dealloc;
    initproc init;
};

/*
 * These functions are called from now on; *own gets those that were before, which they have to
 * call. `module` is where greenlets are, or NULL to look whether it is loaded. Returns false where
 * it is not, or is one that is not known; again does nothing. Sets no exception, and expects none.
 */
bool pinsight_greenlet_redirect(PyObject *module, const struct pinsight_greenlet_ways *to,
                                struct pinsight_greenlet_ways *own);

/* ---- once they are led ---- */

/* It has begun, and is not over. */
bool pinsight_greenlet_is_active(PyObject *greenlet);
bool pinsight_greenlet_has_begun(PyObject *greenlet);
/* The one that a thread begins with. */
bool pinsight_greenlet_is_main(PyObject *greenlet);

/* The one that runs in this thread; a new reference, or NULL at the end of the interpreter. May run
 * what greenlets of this thread do that another one let go of: to be called where that may be. */
PyObject *pinsight_greenlet_current(void);

#endif
