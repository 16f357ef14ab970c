/*
 * How many events this process recorded. Each thread counts its own, without a lock; the process
 * says the sum in the event event_count, and a reader compares that with what it finds. So what is
 * lost on the way is known whatever carries the events.
 *
 * Threads count in memory that the run's supervisor has too, where there is such (counts.h): then
 * it is known to the last event what a process recorded that was killed.
 */
#ifndef PINSIGHT_CORE_RECORDED_H
#define PINSIGHT_CORE_RECORDED_H

#include "pinsight/pinsight.h"
#include "record/counts.h"

#include <stdbool.h>
#include <stdint.h>

/* Add what the calling thread recorded to the process's sum, and record event_count with that: what
 * other threads recorded since they did so is not in it. Slow path. */
PINSIGHT_API void pinsight_recorded_report(void);

/* The same with what all threads recorded. `ends`: the process has come to its end. */
PINSIGHT_API void pinsight_recorded_report_all(bool ends);

/* For process.c: from here on, the process says at its exit that it ends, and counts where it was
 * granted to. Once. Closes the grant's descriptor. */
void pinsight_recorded_start(struct pinsight_counts_grant *grant);

/* The same in a forked child, in its only thread, before anything is recorded. */
void pinsight_recorded_fork_child(struct pinsight_counts_grant *grant);

/* The process begins another recording: nothing was counted of it. Nothing is recorded meanwhile.
 */
void pinsight_recorded_reset(void);

/* For thread.c: the calling thread gets its state, and where it counts; it ends. */
void pinsight_recorded_thread_begin(void);
void pinsight_recorded_thread_end(void);

#endif
