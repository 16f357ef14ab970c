/*
 * Executions that were open when the recording began in a running program. With the thread's first
 * event, they are put on the thread's stack as resumed executions. The tree then has its roots, and
 * their ends have begins.
 */
#ifndef PINSIGHT_PYTHON_ADOPT_H
#define PINSIGHT_PYTHON_ADOPT_H

#include "tracer/python/thread.h"

/* Makes each thread adopt its open executions at its first event, also threads that have state
 * already. Called before events are switched on. Holds the GIL. */
void pinsight_adopt_begin(void);

/* Stops the adoption: executions that began earlier are no longer taken over. Holds the GIL. */
void pinsight_adopt_end(void);

/* Adopts the executions of the calling thread, which has an event of `frame`. The callers of that
 * frame are resumed, and with `inclusive` that frame, too. Happens once in each thread. Holds the
 * GIL. */
void pinsight_adopt(struct pinsight_python_thread *thread, const void *frame, bool inclusive);

/* Adopts the executions of the calling thread now. The innermost `own` frames are PInsight's. Holds
 * the GIL. */
void pinsight_adopt_now(struct pinsight_python_thread *thread, size_t own);

#endif
