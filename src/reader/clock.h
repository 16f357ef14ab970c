/* The parts of its time in which a thread had a processor, by readings of its clock (thread_clock).
 * Not thread-safe. */
#ifndef PINSIGHT_READER_CLOCK_H
#define PINSIGHT_READER_CLOCK_H

#include "reader/model.h"

/*
 * Takes a reading of a thread's clock. `processor_ns` is the thread's processor time so far.
 * `run_delay_ns` is the time since the last reading in which it wanted a processor and had none.
 * The event of the reading comes late. Time without a processor before it goes to the innermost
 * slice since the thread's last event. The rest goes to the longest call that ended since the last
 * reading.
 */
void pinsight_clock_read(struct pinsight_thread *thread, uint32_t tid, uint64_t ns,
                         uint64_t processor_ns, uint64_t run_delay_ns);

/* Takes a pause of the process; see pinsight_model_pause(). If the last reading is before
 * `before_ns`, the pause is not time of the thread. */
void pinsight_clock_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns);

#endif
