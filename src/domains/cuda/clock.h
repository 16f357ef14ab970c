/*
 * Devices' times on the clock of the events. CUPTI turns a device's times into times of a clock of
 * the host: where it can be told which one (CUDA 11.6 and later), it is that of the events;
 * else its own clock is compared with that now and then.
 */
#ifndef PINSIGHT_CUDA_CLOCK_H
#define PINSIGHT_CUDA_CLOCK_H

#include <stdint.h>

/* Before CUPTI records anything. Once. */
void pinsight_cuda_clock_start(void);

/* Compares the clocks again where that is needed. Serialised by the caller: CUPTI hands one buffer
 * over after the other. */
void pinsight_cuda_clock_compare(void);

/* CUPTI's clock is as it is without us: another profiler takes over. */
void pinsight_cuda_clock_give_back(void);

/* A time of CUPTI's as events have theirs (CLOCK_MONOTONIC, ns); 0 stays 0. */
uint64_t pinsight_cuda_clock_ns(uint64_t time);

/* Records device_clock. Any thread. */
void pinsight_cuda_clock_describe(void);

#endif
