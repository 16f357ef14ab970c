/*
 * Counting for MONITORING: calls, inclusive and exclusive time of each lexgion in each thread. The
 * counts of a thread are an array, indexed by the lexgion's slot; slots are given out as lexgions
 * are first counted, and free again once the counts of a dead lexgion were written.
 */
#ifndef PINSIGHT_PYTHON_COUNT_H
#define PINSIGHT_PYTHON_COUNT_H

#include "domains/python/lexgion.h"

struct pinsight_count {
    uint64_t calls;
    uint64_t inclusive; /* ticks; the outermost execution only */
    uint64_t exclusive; /* ticks */
    uint32_t depth;     /* executions that are open in this thread */
};

struct pinsight_python_thread;

/* The thread's count of `lexgion`, made if there is none; NULL when memory is short. */
struct pinsight_count *pinsight_count_make(struct pinsight_python_thread *thread,
                                           struct pinsight_lexgion *lexgion);

/* Write lexgion_profile for all that was counted, in every thread, and begin anew; free what died.
 * Holds the GIL. */
void pinsight_count_flush(void);

/* Write lexgion_profile for what one thread counted, and begin anew. The thread's own call. */
void pinsight_count_flush_thread(struct pinsight_python_thread *thread);

/* May this dead lexgion be freed at once? If not, it is freed by a later flush. Holds the GIL. */
bool pinsight_count_release(struct pinsight_lexgion *lexgion);

/* In a forked child: forget what the parent counted. */
void pinsight_count_fork_child(void);

#endif
