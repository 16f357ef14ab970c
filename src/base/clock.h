/* The machine's monotonic clock. All functions may be called by any thread; pinsight_now_ns() and
 * pinsight_now_ms() also in signal handlers. */
#ifndef PINSIGHT_BASE_CLOCK_H
#define PINSIGHT_BASE_CLOCK_H

#include "base/kernel_clock.h"

#include <errno.h>
#include <stdint.h>
#include <time.h>

/* Return the present time of CLOCK_MONOTONIC. */
static inline uint64_t pinsight_now_ns(void) {
    return pinsight_kernel_ns(CLOCK_MONOTONIC);
}

static inline int64_t pinsight_now_ms(void) {
    return (int64_t)(pinsight_now_ns() / 1000000);
}

/* Sleeps for the whole time, even if signals interrupt the sleep. */
static inline void pinsight_sleep_ms(int milliseconds) {
    struct timespec rest = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000L};

    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

#endif
