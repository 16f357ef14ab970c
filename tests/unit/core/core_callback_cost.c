/* What callbacks cost: how many there were, which are timed, and the means of those times. */
#include "unit.h"

#include "tracer/core/callback_cost.h"
#include "tracer/core/clock.h"

#include <stdlib.h>

/* As a domain does it. */
static bool callback(struct pinsight_callback_cost *cost) {
    if (--cost->left >= 0)
        return false;
    pinsight_callback_timing(cost);
    callback(cost);
    uint64_t samples = pinsight_callback_samples(cost);
    pinsight_callback_timed(cost, PINSIGHT_CALLBACK_CALL, 100);
    return pinsight_callback_samples(cost) > samples;
}

static void each_is_counted_and_one_in_1024_is_timed(void **state) {
    struct pinsight_callback_cost *cost = calloc(1, sizeof *cost);
    uint64_t timed = 0;

    (void)state;
    assert_int_equal(pinsight_callback_count(cost), 0);
    for (uint64_t i = 1; i <= 3000000; i++) {
        timed += callback(cost);
        if (i < 512)
            assert_int_equal(timed, 0); /* the first one starts the recording */
        if (i < 3000 || i % 100003 == 0)
            assert_int_equal(pinsight_callback_count(cost), i);
    }
    assert_int_equal(pinsight_callback_count(cost), 3000000);
    assert_int_equal(pinsight_callback_samples(cost), timed);
    assert_int_equal(cost->kinds[PINSIGHT_CALLBACK_CALL], timed);
    assert_in_range(timed, 3000000 / 1024 * 95 / 100, 3000000 / 1024 * 105 / 100);
    free(cost);
}

/* Of a program with calls A, B, A, B…, both are timed. */
static void no_period_is_kept(void **state) {
    struct pinsight_callback_cost *cost = calloc(1, sizeof *cost);
    unsigned of[8] = {0};

    (void)state;
    for (unsigned i = 0; i < 4000000; i++)
        of[i % 8] += callback(cost);
    for (unsigned i = 0; i < 8; i++)
        assert_in_range(of[i], 4000000 / 1024 / 8 * 70 / 100, 4000000 / 1024 / 8 * 130 / 100);
    free(cost);
}

static double mean_of(double (*mean_in)(const struct pinsight_callback_times *),
                      const uint64_t *ticks, size_t count) {
    struct pinsight_callback_times *times = calloc(1, sizeof *times);

    for (size_t i = 0; i < count; i++)
        pinsight_callback_add(times, ticks[i]);
    double mean = mean_in(times);
    free(times);
    return mean;
}

static double trimmed_of(const uint64_t *ticks, size_t count) {
    return mean_of(pinsight_callback_trimmed, ticks, count);
}

/* One callback in ten finds its data outside the caches. One contains an interrupt. */
static void long_times_count(void **state) {
    uint64_t ticks[100];

    (void)state;
    for (size_t i = 0; i < 100; i++)
        ticks[i] = i % 10 ? 8 : 108;
    assert_true(mean_of(pinsight_callback_capped, ticks, 100) == 18);
    for (size_t i = 0; i < 100; i++)
        ticks[i] = i ? 8 : 4000000000u;
    assert_true(mean_of(pinsight_callback_capped, ticks, 100) == (99 * 8 + 16 * 8) / 100.0);
    assert_true(mean_of(pinsight_callback_capped, NULL, 0) == 0);
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void the_largest_tenth_is_excluded(void **state) {
    uint64_t few[] = {7, 3, 5}, ten[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 4000000000u};
    uint64_t many[5000];
    double sum = 0;

    (void)state;
    assert_true(trimmed_of(NULL, 0) == 0);
    assert_true(trimmed_of(few, 3) == 5);
    assert_true(trimmed_of(ten, 10) == 10);
    /* Beside the mean of the smallest nine tenths in order: bins keep sums, so that only the one
     * through which the cut goes is inexact. */
    srandom(19);
    for (size_t i = 0; i < 5000; i++)
        many[i] = 20 + (uint64_t)random() % 60 + (i % 50 ? 0 : (uint64_t)random() % 1000000);
    double mean = trimmed_of(many, 5000);
    qsort(many, 5000, sizeof *many, by_size);
    for (size_t i = 0; i < 4500; i++)
        sum += (double)many[i];
    assert_true(mean > 0.995 * sum / 4500 && mean < 1.005 * sum / 4500);
}

static void any_time_has_a_bin(void **state) {
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t ticks[] = {UINT64_C(1) << bit, (UINT64_C(1) << bit) - 1};
        assert_true(trimmed_of(&ticks[0], 1) == (double)ticks[0]);
        assert_true(trimmed_of(&ticks[1], 1) == (double)ticks[1]);
    }
    assert_true(trimmed_of(&(uint64_t){UINT64_MAX}, 1) == (double)UINT64_MAX);
}

/* What the measuring takes is not the callback's. */
static void nothing_takes_nothing(void **state) {
    struct pinsight_callback_cost *cost = calloc(1, sizeof *cost);

    (void)state;
    cost->before = 1;
    for (unsigned i = 0; i < 100; i++)
        pinsight_callback_timed(cost, PINSIGHT_CALLBACK_FUNCTION, 0);
    assert_true(pinsight_callback_mean(cost) == 0);
    for (unsigned i = 0; i < 900; i++)
        pinsight_callback_timed(cost, PINSIGHT_CALLBACK_FUNCTION, 1000000);
    assert_true(pinsight_callback_mean(cost) > 0 && pinsight_callback_mean(cost) < 1000000);
    free(cost);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_counted_and_one_in_1024_is_timed),
        cmocka_unit_test(no_period_is_kept),
        cmocka_unit_test(the_largest_tenth_is_excluded),
        cmocka_unit_test(long_times_count),
        cmocka_unit_test(any_time_has_a_bin),
        cmocka_unit_test(nothing_takes_nothing),
    };
    pinsight_clock_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
