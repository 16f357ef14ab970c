/*
 * The names of threads, as the events thread_info. A thread's own events look for the name of its
 * threading.Thread, until there is one, and again after the program has changed a name. All
 * functions hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_THREAD_NAME_H
#define PINSIGHT_PYTHON_THREAD_NAME_H

#include "tracer/python/thread.h"

/* The number of look-ups, where a function costs PINSIGHT_NAME_TRIES_A_FUNCTION and a C call one. A
 * thread of `threading` registers itself within a few functions, but 3.12 makes a C call for each
 * existing thread before. A function that sets a name changes it within one C call. */
#define PINSIGHT_NAME_TRIES_A_FUNCTION 64
#define PINSIGHT_NAME_TRIES (32 * PINSIGHT_NAME_TRIES_A_FUNCTION)
#define PINSIGHT_NAME_TRIES_AGAIN (4 * PINSIGHT_NAME_TRIES_A_FUNCTION)

/* Returns whether the function of a code object sets the name of a thread: the setter of
 * threading.Thread.name. */
bool pinsight_thread_code_renames(const void *code, const char *filename);

/* Called when such a function begins in the thread, for itself or for another thread. Without a
 * GIL, the new name of another thread is not looked for. */
void pinsight_thread_renamed(struct pinsight_python_thread *thread);

#endif
