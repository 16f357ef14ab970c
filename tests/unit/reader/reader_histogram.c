/* How the times of single calls are spread. */
#include "unit.h"

#include "reader/data/histogram.h"

#define assert_about(value, expected, share)                                                       \
    assert_true((value) >= (expected) * (1 - (share)) && (value) <= (expected) * (1 + (share)))

static void a_few_times_are_exact(void **state) {
    struct pinsight_histogram *histogram = NULL;

    (void)state;
    assert_true(pinsight_histogram_mean(NULL, 0, 1) == 0);
    assert_int_equal(pinsight_histogram_count(NULL), 0);
    pinsight_histogram_add(&histogram, 400);
    pinsight_histogram_add(&histogram, 100);
    pinsight_histogram_add(&histogram, 300);
    pinsight_histogram_add(&histogram, 200);
    assert_int_equal(pinsight_histogram_count(histogram), 4);
    assert_true(pinsight_histogram_mean(histogram, 0, 1) == 250);
    assert_true(pinsight_histogram_mean(histogram, 0, 0.25) == 100);
    assert_true(pinsight_histogram_mean(histogram, 0.25, 0.75) == 250);
    assert_true(pinsight_histogram_mean(histogram, 0, 0.375) == (100 + 0.5 * 200) / 1.5);
    assert_true(pinsight_histogram_mean(histogram, 0.5, 0.5) == 0);
    assert_true(pinsight_histogram_mean(histogram, 0.5, 1.5) == 0);
    pinsight_histogram_free(histogram);
}

static void many_times_are_counted_in_narrow_bins(void **state) {
    struct pinsight_histogram *histogram = NULL;

    (void)state;
    for (uint64_t ns = 100000; ns > 0; ns--)
        pinsight_histogram_add(&histogram, ns);
    assert_int_equal(pinsight_histogram_count(histogram), 100000);
    assert_about(pinsight_histogram_mean(histogram, 0, 1), 50000.5, 1e-9);
    assert_about(pinsight_histogram_mean(histogram, 0, 0.25), 12500.0, 0.001);
    assert_about(pinsight_histogram_mean(histogram, 0.25, 0.75), 50000.0, 0.001);
    assert_about(pinsight_histogram_mean(histogram, 0.9, 1), 95000.0, 0.001);
    /* The narrow end of a bin. */
    assert_about(pinsight_histogram_mean(histogram, 0.5, 0.5001), 50000.0, 0.03);
    pinsight_histogram_free(histogram);
}

static void the_least_and_the_largest_time(void **state) {
    struct pinsight_histogram *histogram = NULL;

    (void)state;
    for (int i = 0; i < 100; i++)
        pinsight_histogram_add(&histogram, 0);
    for (int i = 0; i < 100; i++)
        pinsight_histogram_add(&histogram, i % 2 ? 31 : 32);
    pinsight_histogram_add(&histogram, UINT64_MAX);
    assert_true(pinsight_histogram_mean(histogram, 0, 0.25) == 0);
    assert_true(pinsight_histogram_mean(histogram, 100.0 / 201, 150.0 / 201) < 31.01);
    assert_about(pinsight_histogram_mean(histogram, 200.0 / 201, 1), (double)UINT64_MAX, 1e-6);
    pinsight_histogram_free(histogram);
}

static void merging_is_adding(void **state) {
    struct pinsight_histogram *all = NULL, *parts[3] = {NULL, NULL, NULL}, *merged = NULL;
    uint64_t ns = 1;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        ns = ns * 6364136223846793005u + 1442695040888963407u;
        pinsight_histogram_add(&all, ns >> 40);
        pinsight_histogram_add(&parts[i < 20 ? 0 : i < 40 ? 1 : 2], ns >> 40);
    }
    for (int i = 0; i < 3; i++) {
        pinsight_histogram_merge(&merged, parts[i]);
        pinsight_histogram_merge(&merged, NULL);
        pinsight_histogram_free(parts[i]);
    }
    assert_int_equal(pinsight_histogram_count(merged), 1000);
    for (int i = 0; i < 10; i++)
        assert_true(pinsight_histogram_mean(merged, i / 10.0, (i + 1) / 10.0) ==
                    pinsight_histogram_mean(all, i / 10.0, (i + 1) / 10.0));
    pinsight_histogram_free(all);
    pinsight_histogram_free(merged);
}

int main(void) {
    return RUN_TESTS(a_few_times_are_exact, many_times_are_counted_in_narrow_bins,
                     the_least_and_the_largest_time, merging_is_adding);
}
