/* Which part of its time a thread had a processor, by readings of its clock (thread_clock). Not
 * thread-safe. */
#ifndef PINSIGHT_READER_CLOCK_H
#define PINSIGHT_READER_CLOCK_H

#include "reader/model.h"

/* A thread's clock was read: how long it had a processor so far, and how much of the time since the
 * last reading it wanted one and had none. What it was without one since then is said to be that of
 * what it was in before this event, which came late; and what is left, of the longest call that
 * ended since then. */
void pinsight_clock_read(struct pinsight_thread *thread, uint32_t tid, uint64_t ns,
                         uint64_t processor_ns, uint64_t run_delay_ns);

#endif
