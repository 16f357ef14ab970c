/*
 * gevent's event loop that is written in C (gevent.libev.corecext): its requested callbacks. The
 * loop makes them in the order of the requests. A callback has its function until the loop calls
 * it, and its arguments until the function has returned. No code of the program runs. All functions
 * hold the GIL. They set no exception, and there is no pending one.
 */
#ifndef PINSIGHT_CPYTHON_GEVENT_H
#define PINSIGHT_CPYTHON_GEVENT_H

#include "tracer/python/versions.h"

/* Functions that request a callback from a loop, and the function that frees a callback. */
struct pinsight_gevent_ways {
    _PyCFunctionFastWithKeywords run_callback;
    destructor dealloc;
};

/* Redirects these functions. *own gets the original ones, which the new ones must call. `module`
 * contains the loop; NULL checks the loaded modules. Does nothing if the module is not loaded or
 * not known, or is redirected already. */
void pinsight_gevent_redirect(PyObject *module, const struct pinsight_gevent_ways *to,
                              struct pinsight_gevent_ways *own);

/* ---- after the redirection ---- */

/* Returns whether an object is a callback. */
bool pinsight_gevent_is_callback(PyObject *object);

enum pinsight_gevent_state {
    PINSIGHT_GEVENT_WAITS,
    PINSIGHT_GEVENT_RUNS,
    PINSIGHT_GEVENT_IS_OVER,
};
enum pinsight_gevent_state pinsight_gevent_state(PyObject *callback);

#endif
