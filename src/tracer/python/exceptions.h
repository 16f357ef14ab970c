/*
 * Exceptions: the places that raise and handle them. CPython 3.12 and later.
 *
 * The interpreter reports an exception in each function that it passes (RAISE). The first report is
 * recorded. A later one is recognised by the traceback, to which the interpreter adds a function
 * before it reports. A `finally` and the end of a `with` are handlers, too (EXCEPTION_HANDLED),
 * from which the exception goes on (RERAISE). If code in C discards an exception, there is no
 * report.
 */
#ifndef PINSIGHT_PYTHON_EXCEPTIONS_H
#define PINSIGHT_PYTHON_EXCEPTIONS_H

#include "tracer/core/mode.h"
#include "tracer/python/versions.h"

#include <stdbool.h>

/* Says once that this CPython does not report exceptions, if the settings want them. */
void pinsight_exceptions_check(void);

/* Returns whether exceptions are observed in a mode. Holds the GIL. */
bool pinsight_exceptions_are_seen(enum pinsight_mode mode);

#if PINSIGHT_HAS_MONITORING
/* Returns the callbacks for RAISE, RERAISE and EXCEPTION_HANDLED, in this order. `another` selects
 * those for an interpreter that is not the main one. */
PyMethodDef *pinsight_exception_callbacks(bool another);
#endif

#endif
