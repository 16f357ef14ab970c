/* Free-threaded builds of CPython in the traced process: tasks that are not recorded there. */
#ifndef PINSIGHT_CORE_NO_GIL_H
#define PINSIGHT_CORE_NO_GIL_H

#include "tracer/core/process.h"

/* Reports that this process used asyncio without a GIL, so that its tasks are not recorded: to the
 * summary, or on stderr without a run. Reports once in each process. Any thread. Keeps errno. */
PINSIGHT_API void pinsight_no_gil_tasks(void);

#endif
