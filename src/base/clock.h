/* The system's monotonic clock. Any thread, and signal handlers. */
#ifndef PINSIGHT_BASE_CLOCK_H
#define PINSIGHT_BASE_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

/* Now, in nanoseconds and in milliseconds. */
static inline uint64_t pinsight_now_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline int64_t pinsight_now_ms(void) {
    return (int64_t)(pinsight_now_ns() / 1000000);
}

/* Sleeps for that time, also if signals interrupt the sleep. */
static inline void pinsight_sleep_ms(int milliseconds) {
    struct timespec rest = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000L};

    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

#endif
