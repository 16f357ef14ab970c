/* The function of the program that a thread runs, as the event thread_runs. No code of the program
 * runs here. All functions hold the GIL, and keep a pending exception. */
#ifndef PINSIGHT_PYTHON_THREAD_RUNS_H
#define PINSIGHT_PYTHON_THREAD_RUNS_H

#include "tracer/python/thread.h"
#include "tracer/python/versions.h"

/* Records the function at the first event of a thread, unless the module threading started it. Then
 * only its object knows the function. */
void pinsight_thread_runs_outermost(struct pinsight_python_thread *thread);

/* Records the function of a threading.Thread, which the thread runs. */
void pinsight_thread_runs_object(struct pinsight_python_thread *thread, PyObject *object);

/* Records for a new session what all threads run, and the lines that started them. A chunk of a
 * rotated trace has no definitions from before its begin. Slow. */
void pinsight_thread_runs_describe(void);

#endif
