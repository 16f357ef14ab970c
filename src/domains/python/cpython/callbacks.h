/* What the interpreter keeps of the tools of sys.monitoring, CPython 3.12 and later. */
#ifndef PINSIGHT_CPYTHON_CALLBACKS_H
#define PINSIGHT_CPYTHON_CALLBACKS_H

#include "domains/python/versions.h"

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
 * Puts `callback` (NULL for none) in the place of the tool's for one event. As
 * sys.monitoring.register_callback does, but without a word to the program's audit hooks: what we
 * do is none of the program's doings. `module` is sys.monitoring, `mask` the event's. False where
 * the place is not known. GIL held.
 */
bool pinsight_callback_put(PyObject *module, long tool, long mask, PyObject *callback);

/*
 * Has the interpreter call `function` itself for `callback`, a new object of PyCFunction_New whose
 * method it is: else it counts a level of recursion first, and looks for the method.
 */
void pinsight_callback_direct(PyObject *callback, vectorcallfunc function);

/*
 * Does another tool than `tool`, or a profile function in whichever thread, watch the calls of all
 * code? Then the interpreter reports the ends of calls that are under way. GIL held.
 */
bool pinsight_calls_are_watched(long tool);

#if PINSIGHT_HAS_MONITORING

/* The offset that a callback gets: a small number that is not negative. SIZE_MAX if it is not. */
static inline size_t pinsight_small_number(PyObject *number) {
    const PyLongObject *small = (const PyLongObject *)number;
    return PINSIGHT_LIKELY(PyUnstable_Long_IsCompact(small)) ? small->long_value.ob_digit[0]
                                                             : SIZE_MAX;
}

#endif

#endif

#endif
