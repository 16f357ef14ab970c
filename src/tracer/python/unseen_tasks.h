/* Tasks of free-threaded builds, which are not recorded: a process that made some says so. All
 * functions hold the GIL. They do nothing in a build with a GIL. */
#ifndef PINSIGHT_PYTHON_UNSEEN_TASKS_H
#define PINSIGHT_PYTHON_UNSEEN_TASKS_H

#include "tracer/python/has_gil.h"

#include <stdbool.h>

#if PINSIGHT_HAS_GIL

static inline void pinsight_unseen_tasks_watch(bool tracing) {
    (void)tracing;
}

static inline void pinsight_unseen_tasks_report(void) {
}

#else

/* Called at each change of settings. `tracing` means that tasks would be recorded now. */
void pinsight_unseen_tasks_watch(bool tracing);

/* Reports tasks that were not recorded until now. Called before the process leaves, and when
 * recording ends. There is no pending exception. */
void pinsight_unseen_tasks_report(void);

#endif

#endif
