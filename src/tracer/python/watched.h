/*
 * Code objects whose executions mean more than a call: importlib's _find_and_load, and trio's
 * Runner.reschedule, which resumes a waiting task. They are observed whatever the filters and the
 * event kinds are. All functions hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_WATCHED_H
#define PINSIGHT_PYTHON_WATCHED_H

#include "tracer/python/versions.h"

/* The watched code objects. */
enum pinsight_watched { PINSIGHT_WATCHED_IMPORT, PINSIGHT_WATCHED_SCHEDULE, PINSIGHT_WATCHED };

/* Returns the code object, borrowed. Returns NULL if it does not exist, or if its event kind is
 * off. */
PyCodeObject *pinsight_watched(enum pinsight_watched what);

/* Returns whether a code object is watched. Slow path. */
bool pinsight_is_watched(const PyCodeObject *code);

/* Called when trio runs a task, so that its code exists from now on. Keeps a pending exception. */
void pinsight_watched_trio(void);

#endif
