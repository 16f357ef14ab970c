/*
 * What a thread was in the middle of when recording began while the program ran. It is put on the
 * thread's stack with the thread's first event, as executions that go on: so the tree has its
 * roots, and their ends are known.
 */
#ifndef PINSIGHT_PYTHON_ADOPT_H
#define PINSIGHT_PYTHON_ADOPT_H

#include "domains/python/thread.h"

/* From now on each thread is asked with its first event, those of which there is state already
 * among them. Before events are on; holds the GIL. */
void pinsight_adopt_begin(void);

/* The thread does not take over anything any more that was begun before. Holds the GIL. */
void pinsight_adopt_end(void);

/* The calling thread, which has an event of `frame`: what runs below that frame goes on, and with
 * `inclusive` that frame, too. Once for each thread, does nothing else. Holds the GIL. */
void pinsight_adopt(struct pinsight_python_thread *thread, const void *frame, bool inclusive);

/* The calling thread, in which `own` of the innermost frames are PInsight's. */
void pinsight_adopt_now(struct pinsight_python_thread *thread, size_t own);

#endif
