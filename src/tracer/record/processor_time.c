/* Clocks of threads; see processor_time.h. */
#include "tracer/record/processor_time.h"

#include "base/kernel_clock.h"
#include "tracer/record/proc_number.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GAP_NS 100000u /* the least gap */
#define COSTS_IN_GAP 225u
/* The least time without a processor for which the run queue's delay is read. */
#define DELAY_NS 1000000u

static uint64_t read_clock(clockid_t clock) {
    return pinsight_kernel_ns(clock);
}

uint64_t pinsight_processor_ns(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t pinsight_processor_gap_ns(void) {
    const char *wanted = getenv(PINSIGHT_PROCESSOR_TIME_VARIABLE);
    if (wanted && strcmp(wanted, "0") == 0)
        return 0;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = read_clock(CLOCK_MONOTONIC);
        pinsight_processor_ns();
        uint64_t cost = read_clock(CLOCK_MONOTONIC) - before;
        least = cost < least ? cost : least;
    }
    return GAP_NS < COSTS_IN_GAP * least ? COSTS_IN_GAP * least : GAP_NS;
}

/* Returns the thread's time on run queues so far, or 0 if it is unavailable
 * (Documentation/scheduler/sched-stats.rst). */
static uint64_t read_run_delay_ns(void) {
    return pinsight_proc_second_number("/proc/thread-self/schedstat");
}

uint64_t pinsight_run_delay_ns(uint64_t *until, double without) {
    if (without < DELAY_NS)
        return 0;
    uint64_t now = read_run_delay_ns(), delay = now - *until;
    if (now < *until) /* it could not be read */
        return 0;
    *until = now;
    /* The difference may include times from before the last reading of the processor time. */
    return delay < (uint64_t)without ? delay : (uint64_t)without;
}
