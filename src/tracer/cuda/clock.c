/* Clocks; see clock.h. */
#include "tracer/cuda/clock.h"

#include "tracer/core/clock.h"
#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/cuda/cupti.h"
#include "tracer/record/cuda.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* The least time between comparisons, and the tries of each, of which the best counts. */
#define APART_NS UINT64_C(100000000)
#define TRIES 8

/* Both clocks at one moment. */
struct cupti_moment {
    uint64_t cupti, ours;
};

static bool is_ours;                     /* CUPTI reads the time from PInsight's function */
static struct cupti_moment before, last; /* comparisons, if it does not */
static _Atomic uint64_t error_ns;
static _Atomic bool is_compared;

static uint64_t timestamp(void) {
    return pinsight_clock_ns();
}

/* Compares the clocks. Returns the largest possible error in ns. */
static uint64_t compare(struct cupti_moment *moment) {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t from = pinsight_clock_ns(), theirs;
        if (pinsight_cupti.cuptiGetTimestamp(&theirs) != CUPTI_OK)
            continue;
        uint64_t took = pinsight_clock_ns() - from;
        if (took >= best)
            continue;
        best = took;
        *moment = (struct cupti_moment){theirs, from + took / 2};
    }
    return best == UINT64_MAX ? 0 : (best + 1) / 2;
}

static void take_error(uint64_t error) {
    if (error > atomic_load(&error_ns))
        atomic_store(&error_ns, error);
}

void pinsight_cuda_clock_start(void) {
    is_ours = pinsight_cupti.cuptiActivityRegisterTimestampCallback &&
              pinsight_cupti.cuptiActivityRegisterTimestampCallback(timestamp) == CUPTI_OK;
    take_error(compare(&last));
    before = last;
    atomic_store(&is_compared, true);
    pinsight_cuda_clock_describe();
}

void pinsight_cuda_clock_compare(void) {
    struct cupti_moment now = {0};
    if (is_ours || pinsight_clock_ns() - last.ours < APART_NS)
        return;
    uint64_t error = compare(&now);
    if (!now.ours)
        return;
    take_error(error);
    before = last;
    last = now;
}

/* CUPTI's default clock on Linux. */
static uint64_t default_timestamp(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void pinsight_cuda_clock_give_back(void) {
    if (is_ours)
        pinsight_cupti.cuptiActivityRegisterTimestampCallback(default_timestamp);
}

uint64_t pinsight_cuda_clock_ns(uint64_t time) {
    if (is_ours || !time)
        return time;
    int64_t since = (int64_t)(time - before.cupti);
    int64_t span = (int64_t)(last.cupti - before.cupti);
    /* over the span between the comparisons */
    int64_t drift = (int64_t)(last.ours - before.ours) - span;
    if (span > 0)
        since += (int64_t)((double)since / (double)span * (double)drift);
    return before.ours + (uint64_t)since;
}

void pinsight_cuda_clock_describe(void) {
    static _Atomic uint32_t described; /* session version that has device_clock */
    uint32_t session_version = pinsight_session_version();
    if (!atomic_load(&is_compared) || !pinsight_record_cuda_device_clock_enabled() ||
        atomic_exchange(&described, session_version) == session_version)
        return;
    PINSIGHT_INFO_TIMED(pinsight_record_cuda_device_clock(
        pinsight_process.pid,
        is_ours ? PINSIGHT_CUDA_CLOCK_SOURCE_CALLBACK : PINSIGHT_CUDA_CLOCK_SOURCE_CALIBRATED,
        atomic_load(&error_ns)));
}
