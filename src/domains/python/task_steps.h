/* Whether tasks are recorded in a thread. */
#ifndef PINSIGHT_PYTHON_TASK_STEPS_H
#define PINSIGHT_PYTHON_TASK_STEPS_H

#include "domains/python/thread.h"

/* The calling thread, where tasks are recorded in it now; NULL where they are not. Keeps a pending
 * exception. Holds the GIL. */
struct pinsight_python_thread *pinsight_task_thread(void);

#endif
