/* CUPTI's activity records, which describe the work of devices. They arrive in buffers, in a thread
 * of CUPTI. */
#ifndef PINSIGHT_CUDA_ACTIVITY_H
#define PINSIGHT_CUDA_ACTIVITY_H

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cupti_record;

/* Sets the extent of the records of devices' work. The caller serialises calls. */
void pinsight_cuda_activity_set(enum pinsight_device_activity activity);

/* Switches records of pools of memory on or off, if the work of devices is recorded. The caller
 * serialises calls. */
void pinsight_cuda_activity_pools(bool on);

/* Makes CUPTI deliver all its records. Any thread; may take milliseconds. */
void pinsight_cuda_activity_flush(void);

/* Removes everything of PInsight from CUPTI for good, because another profiler takes over. The
 * caller serialises calls. */
void pinsight_cuda_activity_give_back(void);

/* Makes CUPTI deliver the records of finished work, once a second, if there may be some. Returns
 * when that is due next (CLOCK_MONOTONIC, ns), or 0 if nothing is due before a call asks for work
 * again. Control thread. */
uint64_t pinsight_cuda_activity_tend(void);

/* Notes the begin of a call that may ask a device for work or wait for it. `correlation` is the
 * number of the records of that work. Records of a call that is not recorded are excluded. Any
 * thread. */
void pinsight_cuda_activity_asked(uint32_t correlation, bool recorded);

/* Records an activity record as an event. CUPTI's thread. */
void pinsight_cuda_activity_record(const struct cupti_record *record);

#endif
