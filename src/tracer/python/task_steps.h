/* Functions that the recording of tasks needs from the redirected functions. */
#ifndef PINSIGHT_PYTHON_TASK_STEPS_H
#define PINSIGHT_PYTHON_TASK_STEPS_H

#include "tracer/python/thread.h"
#include "tracer/python/versions.h"

/* Returns the calling thread if tasks are recorded in it now, or NULL. Keeps a pending exception.
 * Holds the GIL. */
struct pinsight_python_thread *pinsight_task_thread(void);

/* Called when a task has paused to wait for `future`. For event loops that are not written in
 * Python, finds out how they resume the task. There is no pending exception. Holds the GIL. */
void pinsight_task_seek(PyObject *future);

#endif
