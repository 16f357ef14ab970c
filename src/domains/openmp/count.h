/*
 * Counting for MONITORING: of each parallel region in each thread, how often and how long. In the
 * thread that starts a region that is the whole of it; in the others their part, until they arrive
 * at the barrier at its end.
 */
#ifndef PINSIGHT_OPENMP_COUNT_H
#define PINSIGHT_OPENMP_COUNT_H

#include "domains/openmp/thread.h"

/* Written by the thread alone, and only grows; what of it is in the trace already is the flusher's.
 */
struct pinsight_omp_count {
    _Atomic uint64_t calls, inclusive, exclusive; /* ticks */
    uint64_t calls_written, inclusive_written, exclusive_written;
    uint32_t depth; /* executions that are open in this thread */
};

/* An execution begins; `counted` is where it stays until its end. */
void pinsight_omp_count_begin(struct pinsight_omp_thread *thread,
                              struct pinsight_omp_counted *counted,
                              struct pinsight_omp_lexgion *lexgion);

/* It ends, or ended at `end` (ticks). */
void pinsight_omp_count_end(struct pinsight_omp_thread *thread,
                            struct pinsight_omp_counted *counted, uint64_t end);

/* Write lexgion_profile for what was counted since the last time, in every thread or in one. Any
 * thread. */
void pinsight_omp_count_flush(void);
void pinsight_omp_count_flush_thread(struct pinsight_omp_thread *thread);

/* In a forked child. */
void pinsight_omp_count_fork_child(void);

#endif
