/* The processor time of the calling thread, and the time for which it wanted a processor and had
 * none. For the recorders. Any thread. Async-signal-safe. No function changes errno or is a
 * cancellation point (pthreads(7)). */
#ifndef PINSIGHT_RECORD_PROCESSOR_TIME_H
#define PINSIGHT_RECORD_PROCESSOR_TIME_H

#include <stdint.h>

/* Returns the gap in ns that decides when the clock is read. The clock is read before an event that
 * comes so long after the thread's last event, and otherwise once in PINSIGHT_LOOK_GAPS gaps.
 * Readings therefore take a small part of the time between them, whatever a system call costs on
 * this machine. Returns 0 if the clock must not be read (PINSIGHT_PROCESSOR_TIME=0). Takes some
 * microseconds. */
#define PINSIGHT_LOOK_GAPS 10u
#define PINSIGHT_PROCESSOR_TIME_VARIABLE "PINSIGHT_PROCESSOR_TIME"
uint64_t pinsight_processor_gap_ns(void);

/* Returns CLOCK_THREAD_CPUTIME_ID in ns. */
uint64_t pinsight_processor_ns(void);

/* Returns for how long the thread wanted a processor, out of `without` nanoseconds without a
 * processor since the last reading. *until is state of the thread, 0 at first. Returns 0 if
 * `without` is too short to matter, and if the kernel has no such number. */
uint64_t pinsight_run_delay_ns(uint64_t *until, double without);

#endif
