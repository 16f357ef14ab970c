/* Comparisons of CUPTI's clock with the events' clock. The test sets both. */
#include "unit.h"

#include "base/kernel_clock.h"
#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/cuda/clock.h"
#include "tracer/cuda/cupti.h"
#include "tracer/record/cuda.h"

#define SECOND UINT64_C(1000000000)

struct cupti_library pinsight_cupti;
struct pinsight_own_process pinsight_process;

static uint64_t now_ns = 7 * SECOND, takes_ns; /* the time, and the duration of a question */
static unsigned questions;
static uint64_t described_ns; /* the error that device_clock has */

uint64_t pinsight_kernel_ns(clockid_t clock) {
    (void)clock;
    return now_ns;
}

/* CUPTI's clock has another origin, and gains a millisecond in a second. */
static uint64_t cupti_time(uint64_t ns) {
    return ns + ns / 1000 + 12345;
}

static uint32_t get_timestamp(uint64_t *time) {
    questions++;
    now_ns += takes_ns / 2;
    *time = cupti_time(now_ns);
    now_ns += takes_ns / 2;
    return CUPTI_OK;
}

uint64_t pinsight_info_before(void) {
    return 0;
}

void pinsight_info_after(uint64_t before) {
    (void)before;
}

bool recorder_listens(void) {
    return true;
}

void recorder_put(unsigned event, const uint64_t *fields) {
    (void)event;
    assert_int_equal(fields[1], PINSIGHT_CUDA_CLOCK_SOURCE_CALIBRATED);
    described_ns = fields[2];
}

static void compare_after(uint64_t ns, uint64_t takes) {
    now_ns += ns;
    takes_ns = takes;
    pinsight_cuda_clock_compare();
}

static void start_and_compare(void **state) {
    (void)state;
    pinsight_cupti.cuptiGetTimestamp = get_timestamp;
    atomic_store(&pinsight_process.session_version, 1);
    takes_ns = 100;
    pinsight_cuda_clock_start();
    assert_int_equal(described_ns, 50);
    unsigned before = questions;
    compare_after(SECOND / 100, 100); /* too early for another comparison */
    assert_int_equal(questions, before);
}

/* One comparison of the run was slow, and times of then have its error. */
static void the_largest_error_is_described(void **state) {
    (void)state;
    compare_after(SECOND, 3000);
    compare_after(SECOND, 20);
    atomic_store(&pinsight_process.session_version, 2);
    pinsight_cuda_clock_describe();
    assert_int_equal(described_ns, 1500);
}

static void times_are_converted(void **state) {
    (void)state;
    compare_after(SECOND, 20);
    for (uint64_t ago = 0; ago < SECOND; ago += SECOND / 10)
        assert_in_range(pinsight_cuda_clock_ns(cupti_time(now_ns - ago)) + ago, now_ns - 20,
                        now_ns + 20);
    assert_int_equal(pinsight_cuda_clock_ns(0), 0);
}

int main(void) {
    return RUN_TESTS(start_and_compare, the_largest_error_is_described, times_are_converted);
}
