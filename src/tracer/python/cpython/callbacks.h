/* The interpreter's data about tools of sys.monitoring, CPython 3.12 and later. */
#ifndef PINSIGHT_CPYTHON_CALLBACKS_H
#define PINSIGHT_CPYTHON_CALLBACKS_H

#include "tracer/python/versions.h"

#if PINSIGHT_IS_PLAIN

static inline bool pinsight_callback_put(PyObject *module, long tool, long mask,
                                         PyObject *callback) {
    (void)module;
    (void)tool;
    (void)mask;
    (void)callback;
    return false;
}

static inline void pinsight_callback_direct(PyObject *callback, vectorcallfunc function) {
    (void)callback;
    (void)function;
}

static inline size_t pinsight_small_number(PyObject *number) {
    return (size_t)PyLong_AsLong(number);
}

#else

/*
 * Sets a tool's callback for one event; NULL for none. Like sys.monitoring.register_callback, but
 * without calling the program's audit hooks, because PInsight's actions are not the program's.
 * `module` is sys.monitoring, `mask` the event's mask. Returns false if the place of callbacks is
 * not known. Holds the GIL.
 */
bool pinsight_callback_put(PyObject *module, long tool, long mask, PyObject *callback);

/*
 * Makes the interpreter call `function` directly for `callback`, a new object of PyCFunction_New().
 * Otherwise the interpreter first counts a level of recursion and looks for the method.
 */
void pinsight_callback_direct(PyObject *callback, vectorcallfunc function);

/*
 * Returns whether another tool than `tool`, or a profile function in any thread, watches the calls
 * of all code. The interpreter then reports the ends of open calls. Holds the GIL.
 */
bool pinsight_calls_are_watched(long tool);

#if PINSIGHT_HAS_MONITORING

/* Returns the offset that a callback gets, a small number that is not negative; otherwise SIZE_MAX.
 */
static inline size_t pinsight_small_number(PyObject *number) {
    const PyLongObject *small = (const PyLongObject *)number;
    return PINSIGHT_LIKELY(PyUnstable_Long_IsCompact(small)) ? small->long_value.ob_digit[0]
                                                             : SIZE_MAX;
}

#endif

#endif

#endif
