/* CUPTI's activity records: what devices did. They come in buffers, on a thread of CUPTI's own. */
#ifndef PINSIGHT_CUDA_ACTIVITY_H
#define PINSIGHT_CUDA_ACTIVITY_H

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cupti_record;

/* Has CUPTI record so much of what devices do. Serialised by the caller. */
void pinsight_cuda_activity_set(enum pinsight_device_activity activity);

/* Has CUPTI record what becomes of pools of memory, where it records devices' work. Likewise. */
void pinsight_cuda_activity_pools(bool on);

/* Has CUPTI hand over what it has. Any thread; may take milliseconds. */
void pinsight_cuda_activity_flush(void);

/* Another profiler takes over: nothing of ours stays in CUPTI, for good. Serialised by the caller.
 */
void pinsight_cuda_activity_give_back(void);

/* Has CUPTI hand over what is done, a second after the last time, where there may be something.
 * Returns when that is (CLOCK_MONOTONIC, ns), 0 where nothing is to be done before work is asked
 * for again. Control thread. */
uint64_t pinsight_cuda_activity_tend(void);

/* A call begins, which may ask a device for work or wait for it; the number is the one that the
 * records of that will have. Those of a call that is not recorded are excluded. Any thread. */
void pinsight_cuda_activity_asked(uint32_t correlation, bool recorded);

/* Records what a record says. Of CUPTI's thread. */
void pinsight_cuda_activity_record(const struct cupti_record *record);

#endif
