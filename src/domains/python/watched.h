/*
 * Code whose executions tell more than that a function runs: importlib's _find_and_load, and trio's
 * Runner.reschedule, which goes on with a task that waits. It is looked at whatever the filters, or
 * the events that are on, say of functions. All hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_WATCHED_H
#define PINSIGHT_PYTHON_WATCHED_H

#include "domains/python/versions.h"

/* What may be watched. */
enum pinsight_watched { PINSIGHT_WATCHED_IMPORT, PINSIGHT_WATCHED_SCHEDULE, PINSIGHT_WATCHED };

/* The code object, borrowed; NULL where it is not there, or its kind of event is off. */
PyCodeObject *pinsight_watched(enum pinsight_watched what);

/* Is this such a code object? Slow path. */
bool pinsight_is_watched(const PyCodeObject *code);

/* trio runs a task: its code is there from now on. Keeps a pending exception. */
void pinsight_watched_trio(void);

#endif
