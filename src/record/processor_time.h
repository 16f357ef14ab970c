/* How long the calling thread had a processor, and wanted one and had none, for the recorders. Any
 * thread, also in a signal handler; no function changes errno, or is a point where a thread is
 * cancelled (pthreads(7)). */
#ifndef PINSIGHT_RECORD_PROCESSOR_TIME_H
#define PINSIGHT_RECORD_PROCESSOR_TIME_H

#include <stdint.h>

/* It is read before an event that comes so many nanoseconds after the thread's last one, and before
 * one that comes so many such gaps after the last reading: so that it takes a small part of the
 * time between two readings, whatever a system call costs here. Takes some microseconds. 0 where it
 * is not to be read: PINSIGHT_PROCESSOR_TIME=0 in the environment. */
#define PINSIGHT_LOOK_GAPS 10u
#define PINSIGHT_PROCESSOR_TIME_VARIABLE "PINSIGHT_PROCESSOR_TIME"
uint64_t pinsight_processor_gap_ns(void);

/* CLOCK_THREAD_CPUTIME_ID. */
uint64_t pinsight_processor_ns(void);

/* How much of `without` nanoseconds without a processor, since the last reading, the thread wanted
 * one. *until is the thread's own, 0 at first. 0 where too little is at stake, and where the kernel
 * does not say it. */
uint64_t pinsight_run_delay_ns(uint64_t *until, double without);

#endif
