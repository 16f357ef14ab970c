/* The clocks of threads, with LTTng; see thread_clock.h. */
#include "tracer/record/lttng/thread_clock.h"

#include "tracer/record/core.h"
#include "tracer/record/processor_time.h"
#include "tracer/record/resident.h"

#include <errno.h>
#include <time.h>

/* The least time over which the rate of the processor's counter is measured. */
#define RATE_NS 5000000u

uint64_t pinsight_lttng_clock_gap = UINT64_MAX;
static uint64_t first_ticks, first_ns, gap_ns;

static uint64_t monotonic_ns(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void set(uint64_t ticks) {
    __atomic_store_n(&pinsight_lttng_clock_gap, ticks, __ATOMIC_RELAXED);
}

/* Sets the gap in ticks from the counter's rate. Before the rate is known, a tick counts as a
 * nanosecond, so that the clock is read more often. */
static void set_gap(uint64_t ticks, uint64_t ns) {
    if (ticks <= first_ticks || ns < first_ns + RATE_NS)
        return;
    set((uint64_t)((double)gap_ns * (double)(ticks - first_ticks) / (double)(ns - first_ns)));
}

void pinsight_lttng_clock_ready(void) {
    gap_ns = pinsight_processor_gap_ns();
    first_ns = monotonic_ns();
    first_ticks = gap_ns ? pinsight_stream_ticks() : 0;
    if (first_ticks)
        set(gap_ns);
}

void pinsight_lttng_clock_fork_child(void) {
    struct pinsight_tls *tls = pinsight_tls();
    if (tls->thread || tls->hidden)
        tls->look = (struct pinsight_look){0};
}

void pinsight_lttng_clock_read(uint64_t now) {
    struct pinsight_tls *tls = pinsight_tls();
    /* Memory that threads share must not be written. */
    if ((!tls->thread && !tls->hidden) || !first_ticks)
        return;
    int error = errno;
    struct pinsight_look *look = &tls->look;
    uint64_t ns = monotonic_ns(), processor_ns = pinsight_processor_ns(), delay_ns = 0;
    if (look->read_ns)
        delay_ns = pinsight_run_delay_ns(&look->run_delay_ns,
                                         (double)(ns - look->read_ns) -
                                             (double)(processor_ns - look->processor_ns));
    pinsight_record_core_thread_clock(processor_ns, delay_ns);
    uint64_t resident_bytes = pinsight_resident_bytes(ns, PINSIGHT_RESIDENT_NS);
    if (resident_bytes)
        pinsight_record_core_process_memory(resident_bytes);
    set_gap(now, ns);
    look->read_ns = ns;
    look->processor_ns = processor_ns;
    look->last = now;
    look->at =
        now + PINSIGHT_LOOK_GAPS * __atomic_load_n(&pinsight_lttng_clock_gap, __ATOMIC_RELAXED);
    errno = error;
}
