/* Bins of time of a page: they keep all times, however wide they become. */
#include "unit.h"

#include "views/page/bins.h"

#include <stdint.h>

static uint64_t all_of(const struct page_bins *bins, uint32_t node) {
    uint64_t sum = 0;

    for (size_t i = 0; i < bins->count; i++)
        sum += bins->entries[i].node == node ? bins->entries[i].self_ns : 0;
    return sum;
}

static void a_time_is_cut_into_bins(void **state) {
    struct page_bins bins;

    (void)state;
    page_bins_make(&bins);
    page_bins_call(&bins, 0, 1, 1000);
    page_bins_self(&bins, 0, 1, 1000, 1000 + 2 * PAGE_BIN_NS + 5);
    page_bins_away(&bins, 0, 1, 1000, 1000 + 2 * PAGE_BIN_NS, PAGE_BIN_NS);
    page_bins_sort(&bins);
    assert_int_equal(bins.count, 3);
    assert_int_equal(bins.entries[0].self_ns, PAGE_BIN_NS);
    assert_int_equal(bins.entries[0].away_ns, PAGE_BIN_NS / 2);
    assert_int_equal(bins.entries[0].calls, 1);
    assert_int_equal(bins.entries[1].away_ns, PAGE_BIN_NS / 2);
    assert_int_equal(bins.entries[2].self_ns, 5);
    page_bins_clear(&bins);
}

static void what_is_before_the_first_event_is_in_the_first_bin(void **state) {
    struct page_bins bins;

    (void)state;
    page_bins_make(&bins);
    page_bins_call(&bins, 0, 1, 1000000);
    page_bins_self(&bins, 0, 2, 10, 500);
    page_bins_sort(&bins);
    assert_int_equal(all_of(&bins, 2), 490);
    assert_int_equal(bins.entries[1].bin, 0);
    page_bins_clear(&bins);
}

static void a_long_run_has_wide_bins(void **state) {
    const uint64_t hour = UINT64_C(3600000000000);
    struct page_bins bins;

    (void)state;
    page_bins_make(&bins);
    for (uint64_t i = 0; i < 3600; i++)
        page_bins_self(&bins, 0, (uint32_t)(i % 7), i * hour / 3600, (i + 1) * hour / 3600);
    page_bins_sort(&bins);
    for (size_t i = 0; i < bins.count; i++)
        assert_true(bins.entries[i].bin < PAGE_BINS_MOST);
    for (uint32_t node = 0; node < 7; node++)
        assert_true(all_of(&bins, node) / 1000000000 == (node < 2 ? 515 : 514));
    assert_true(bins.width_ns >= hour / PAGE_BINS_MOST);
    page_bins_clear(&bins);
}

static void many_nodes_have_fewer_bins(void **state) {
    struct page_bins bins;
    uint64_t sum = 0;

    (void)state;
    page_bins_make(&bins);
    bins.entries_most = 20000;
    for (uint64_t i = 0; i < 400000; i++)
        page_bins_self(&bins, (uint32_t)(i % 4), (uint32_t)(i % 100), i * 1000, (i + 1) * 1000);
    assert_true(bins.count <= 20000);
    for (size_t i = 0; i < bins.count; i++)
        sum += bins.entries[i].self_ns;
    assert_int_equal(sum, 400000000);
    page_bins_clear(&bins);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_is_cut_into_bins),
        cmocka_unit_test(what_is_before_the_first_event_is_in_the_first_bin),
        cmocka_unit_test(a_long_run_has_wide_bins),
        cmocka_unit_test(many_nodes_have_fewer_bins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
