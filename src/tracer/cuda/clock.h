/*
 * Conversion of devices' times to the events' clock. CUPTI converts a device's times to a clock of
 * the host. From CUDA 11.6 on, PInsight can choose that clock, and takes the events' clock.
 * Otherwise the two clocks are compared from time to time.
 */
#ifndef PINSIGHT_CUDA_CLOCK_H
#define PINSIGHT_CUDA_CLOCK_H

#include <stdint.h>

/* Chooses or compares the clock. Called once, before CUPTI records anything. */
void pinsight_cuda_clock_start(void);

/* Compares the clocks again if that is necessary. The caller serialises calls, because CUPTI
 * delivers one buffer after the other. */
void pinsight_cuda_clock_compare(void);

/* Restores CUPTI's own clock, because another profiler takes over. */
void pinsight_cuda_clock_give_back(void);

/* Converts a time of CUPTI to CLOCK_MONOTONIC in ns. Returns 0 for 0. */
uint64_t pinsight_cuda_clock_ns(uint64_t time);

/* Records device_clock. Any thread. */
void pinsight_cuda_clock_describe(void);

#endif
