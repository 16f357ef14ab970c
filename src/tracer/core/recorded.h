/*
 * The number of events that this process recorded. Each thread counts its own events, without a
 * lock. The process records the sum in the event event_count, and a reader compares it with the
 * number of events that it finds. Losses of any recorder therefore become known.
 *
 * If possible, threads count in memory that the run's supervisor shares (counts.h). The number of
 * recorded events is then exact even for a process that was killed.
 */
#ifndef PINSIGHT_CORE_RECORDED_H
#define PINSIGHT_CORE_RECORDED_H

#include "pinsight/pinsight.h"
#include "tracer/record/counted.h"

#include <stdbool.h>
#include <stdint.h>

/* Adds the calling thread's events to the process's sum, and records event_count with the sum.
 * Other threads' events since their last report are not included. Slow path. */
PINSIGHT_API void pinsight_recorded_report(void);

/* Adds the events of all threads, and records event_count. `ends` means that the process has come
 * to its end. */
PINSIGHT_API void pinsight_recorded_report_all(bool ends);

/* Starts the accounts of the process, for process.c. At its exit, the process then records that it
 * ends. It counts in the memory of the grant, if there is one. Closes the grant's descriptor.
 * Called once. */
void pinsight_recorded_start(struct pinsight_counts_grant *grant);

/* Like pinsight_recorded_start(), in a forked child. Called in its only thread, before anything is
 * recorded. */
void pinsight_recorded_fork_child(struct pinsight_counts_grant *grant);

/* Resets all counts when the process begins another recording. Nothing may be recorded
 * meanwhile. */
void pinsight_recorded_reset(void);

/* For thread.c. Give the calling thread a place for its count; and end its use at the thread's
 * end. */
void pinsight_recorded_thread_begin(void);
void pinsight_recorded_thread_end(void);

#endif
