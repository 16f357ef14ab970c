/* Counters of a page: few points, but no extreme value is lost. */
#include "unit.h"

#include "views/page/counters.h"

#include <math.h>
#include <stdio.h>

static void values_are_points(void **state) {
    struct page_counters counters = {0};
    const struct page_counter *counter;

    (void)state;
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "a", 2, 10);
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 2, "a", 3, 10);
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "b", 4, 11);
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "a", -1, 12);
    page_counters_add(&counters, PAGE_COUNTER_RUNNING, 1, NULL, 5, 9);
    assert_int_equal(counters.count, 4);
    counter = &counters.counters[0];
    assert_int_equal(counter->count, 2);
    assert_true(counter->points[1].last == -1 && counter->points[1].ns == 12);
    page_counters_clear(&counters);
}

static void values_of_one_time_are_one_point(void **state) {
    struct page_counters counters = {0};
    const struct page_counter *counter;

    (void)state;
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "a", 2, 10);
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "a", 7, 10);
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "a", 5, 8); /* of another thread, late */
    counter = &counters.counters[0];
    assert_int_equal(counter->count, 1);
    assert_true(counter->points[0].least == 2 && counter->points[0].most == 7 &&
                counter->points[0].last == 5);
    page_counters_clear(&counters);
}

static void many_values_are_ranges(void **state) {
    struct page_counters counters = {0};
    const struct page_counter *counter;
    double least = INFINITY, most = -INFINITY;

    (void)state;
    for (uint64_t i = 0; i < 100000; i++)
        page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "a", i == 77777 ? 1e9 : (double)i,
                          1000 + i * i);
    counter = &counters.counters[0];
    assert_int_equal(counter->values, 100000);
    assert_in_range(counter->count, 2, PAGE_POINTS_MOST);
    assert_true(counter->width_ns > 0);
    for (size_t i = 0; i < counter->count; i++) {
        least = fmin(least, counter->points[i].least);
        most = fmax(most, counter->points[i].most);
        assert_true(!i || counter->points[i].ns - counter->points[i - 1].ns >= counter->width_ns);
    }
    assert_true(least == 0 && most == 1e9);
    assert_true(counter->points[counter->count - 1].last == 99999);
    page_counters_clear(&counters);
}

static void what_is_no_number_is_left_out(void **state) {
    struct page_counters counters = {0};

    (void)state;
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "a", NAN, 10);
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "a", INFINITY, 10);
    assert_int_equal(counters.count, 0);
    page_counters_clear(&counters);
}

static void too_many_counters_are_counted(void **state) {
    struct page_counters counters = {0};
    char name[32];

    (void)state;
    for (int i = 0; i < PAGE_COUNTERS_MOST + 5; i++) {
        snprintf(name, sizeof(name), "counter %d", i);
        page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, name, 1, 10);
        page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, name, 2, 20);
    }
    assert_int_equal(counters.count, PAGE_COUNTERS_MOST);
    assert_int_equal(counters.left_out, 10);
    page_counters_clear(&counters);
}

/* Each of many processes has a counter of its memory, and they are the first ones. */
static void memory_leaves_room(void **state) {
    struct page_counters counters = {0};

    (void)state;
    for (uint32_t process = 0; process < PAGE_COUNTERS_MOST; process++)
        page_counters_add(&counters, PAGE_COUNTER_MEMORY, process, NULL, 4096, 10);
    page_counters_add(&counters, PAGE_COUNTER_VALUE, 1, "loss", 1, 20);
    assert_int_equal(counters.count, PAGE_COUNTERS_MOST / 2 + 1);
    assert_int_equal(counters.counters[counters.count - 1].kind, PAGE_COUNTER_VALUE);
    page_counters_clear(&counters);
}

int main(void) {
    return RUN_TESTS(values_are_points, values_of_one_time_are_one_point, many_values_are_ranges,
                     what_is_no_number_is_left_out, too_many_counters_are_counted,
                     memory_leaves_room);
}
