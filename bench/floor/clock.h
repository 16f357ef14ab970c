/* The time, for programs that measure themselves. */
#ifndef PINSIGHT_BENCH_FLOOR_CLOCK_H
#define PINSIGHT_BENCH_FLOOR_CLOCK_H

#include <time.h>

/* Returns the time of a clock (clock_gettime(2)) in ns. Any thread. */
static inline double clock_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#endif
