/*
 * Counting for MONITORING: of each call site in each thread, how often it is executed and how long.
 */
#ifndef PINSIGHT_MPI_COUNT_H
#define PINSIGHT_MPI_COUNT_H

#include "domains/mpi/thread.h"

/* Written by the thread alone, and only grows; what of it is in the trace already is the flusher's.
 */
struct pinsight_mpi_count {
    _Atomic uint64_t calls, inclusive, exclusive; /* ticks */
    uint64_t calls_written, inclusive_written, exclusive_written;
    uint32_t depth; /* executions that are open in this thread */
};

/* An execution begins; `counted` is where it stays until its end. */
void pinsight_mpi_count_begin(struct pinsight_mpi_thread *thread,
                              struct pinsight_mpi_counted *counted,
                              struct pinsight_mpi_lexgion *lexgion);

/* It ends, or ended at `end` (ticks). */
void pinsight_mpi_count_end(struct pinsight_mpi_thread *thread,
                            struct pinsight_mpi_counted *counted, uint64_t end);

/* Write lexgion_profile for what was counted since the last time, in every thread or in one. Any
 * thread. */
void pinsight_mpi_count_flush(void);
void pinsight_mpi_count_flush_thread(struct pinsight_mpi_thread *thread);

/* In a forked child. */
void pinsight_mpi_count_fork_child(void);

#endif
