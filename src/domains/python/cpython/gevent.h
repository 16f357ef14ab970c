/*
 * gevent's event loop that is written in C (gevent.libev.corecext): the callbacks that it is asked
 * for, which it calls in the order in which it was asked for them. A callback has its function
 * until the loop calls that, and its arguments until that has returned. No code of the program's
 * runs. All hold the GIL; none sets an exception, or expects one.
 */
#ifndef PINSIGHT_CPYTHON_GEVENT_H
#define PINSIGHT_CPYTHON_GEVENT_H

#include "domains/python/versions.h"

/* What asks a loop for a callback, and the end of a callback. */
struct pinsight_gevent_ways {
    _PyCFunctionFastWithKeywords run_callback;
    destructor dealloc;
};

/* These functions are called from now on; *own gets those that were before, which they have to
 * call. `module` is where the loop is, or NULL to look whether it is loaded. Nothing is done where
 * it is not, where it is not as it is known, or again. */
void pinsight_gevent_redirect(PyObject *module, const struct pinsight_gevent_ways *to,
                              struct pinsight_gevent_ways *own);

/* ---- once they are led ---- */

/* Is it a callback? */
bool pinsight_gevent_is_callback(PyObject *object);

enum pinsight_gevent_state {
    PINSIGHT_GEVENT_WAITS,
    PINSIGHT_GEVENT_RUNS,
    PINSIGHT_GEVENT_IS_OVER,
};
enum pinsight_gevent_state pinsight_gevent_state(PyObject *callback);

#endif
