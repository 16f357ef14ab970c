/*
 * A cheap clock for MONITORING: the processor's counter if it runs at a constant rate, else the
 * system's monotonic clock. Ticks become nanoseconds when they are written, with a rate that is
 * measured over the whole run.
 */
#ifndef PINSIGHT_CORE_CLOCK_H
#define PINSIGHT_CORE_CLOCK_H

#include "base/clock.h"
#include "pinsight/pinsight.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether the processor's counter has a constant rate. Set by pinsight_clock_start(). */
extern PINSIGHT_API bool pinsight_clock_has_counter;

/* Looks at the processor, and notes the present values of both clocks. Only the first call has an
 * effect. */
PINSIGHT_API void pinsight_clock_start(void);

/* Returns the nanoseconds of one tick, measured from the start until now; 1.0 without a counter. */
PINSIGHT_API double pinsight_clock_rate(void);

static inline uint64_t pinsight_clock_ns(void) {
    return pinsight_now_ns();
}

/* Returns the present time in ticks. */
static inline uint64_t pinsight_clock_ticks(void) {
#if defined(__x86_64__)
    if (__builtin_expect(pinsight_clock_has_counter, 1))
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    if (__builtin_expect(pinsight_clock_has_counter, 1)) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    return pinsight_clock_ns();
}

#endif
