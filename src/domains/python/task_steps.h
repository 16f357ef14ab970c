/* What the record of tasks asks of what calls it. */
#ifndef PINSIGHT_PYTHON_TASK_STEPS_H
#define PINSIGHT_PYTHON_TASK_STEPS_H

#include "domains/python/thread.h"
#include "domains/python/versions.h"

/* The calling thread, where tasks are recorded in it now; NULL where they are not. Keeps a pending
 * exception. Holds the GIL. */
struct pinsight_python_thread *pinsight_task_thread(void);

/* A task has paused that waits for `future`: for event loops that are not written in Python, find
 * out how they go on with it. There is no pending exception. Holds the GIL. */
void pinsight_task_seek(PyObject *future);

#endif
