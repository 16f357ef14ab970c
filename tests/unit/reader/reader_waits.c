/* What the reader adds up of waits: stretches of time, and who held the GIL. */
#include "unit.h"

#include "reader/model.h"
#include "reader/python/gil_holders.h"
#include "reader/python/spans.h"

static void spans_that_overlap_count_once(void **state) {
    struct pinsight_spans spans = {0};

    (void)state;
    assert_int_equal(pinsight_spans_time(&spans), 0);
    pinsight_spans_add(&spans, 300, 400);
    pinsight_spans_add(&spans, 100, 200);
    pinsight_spans_add(&spans, 150, 250);
    pinsight_spans_add(&spans, 160, 170);
    pinsight_spans_add(&spans, 500, 500); /* no time */
    assert_int_equal(pinsight_spans_time(&spans), 250);
    pinsight_spans_add(&spans, 200, 350);
    assert_int_equal(pinsight_spans_time(&spans), 300);
    pinsight_spans_clear(&spans);
}

/* As many as are kept, and more: close ones are taken for one, and no time is lost. */
static void many_spans(void **state) {
    struct pinsight_spans spans = {0};
    const uint64_t count = 1000000;

    (void)state;
    for (uint64_t i = 0; i < count; i++)
        pinsight_spans_add(&spans, i * 1000, i * 1000 + 900);
    assert_true(spans.count <= (size_t)1 << 17);
    assert_in_range(pinsight_spans_time(&spans), count * 900, count * 1000);
    pinsight_spans_clear(&spans);
}

struct found {
    unsigned count;
    uint32_t function;
};

static void take(void *data, const struct pinsight_gil_held *held, uint32_t function) {
    struct found *found = data;

    assert_true(held->end_ns > held->begin_ns);
    found->count++;
    found->function = function;
}

static void a_holder_is_found_in_either_order(void **state) {
    struct pinsight_gil_holders holders = {0};
    const struct pinsight_gil_held held = {1000, 6000000}, later = {20000000, 25000000};
    struct found found = {0};

    (void)state;
    /* It waits when the other's wait is recorded already, */
    assert_int_equal(pinsight_gil_holder_of(&holders, 0, 7, &held), PINSIGHT_NONE);
    pinsight_gil_holder_waits(&holders, 0, 7, 6000100, 3, take, &found);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.function, 3);
    /* and before that is. */
    pinsight_gil_holder_waits(&holders, 0, 7, 25000100, 4, take, &found);
    assert_int_equal(pinsight_gil_holder_of(&holders, 0, 7, &later), 4);
    assert_int_equal(found.count, 1);
    pinsight_gil_holders_clear(&holders);
}

static void another_thread_or_time_is_no_holder(void **state) {
    struct pinsight_gil_holders holders = {0};
    const struct pinsight_gil_held held = {1000, 6000000};
    struct found found = {0};

    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(pinsight_gil_holder_of(&holders, 0, 7, &held), PINSIGHT_NONE);
    pinsight_gil_holder_waits(&holders, 0, 8, 6000100, 3, take, &found);
    pinsight_gil_holder_waits(&holders, 1, 7, 6000100, 3, take, &found);
    pinsight_gil_holder_waits(&holders, 0, 7, 900, 3, take, &found);
    pinsight_gil_holder_waits(&holders, 0, 7, 9000000, 3, take, &found);
    assert_int_equal(found.count, 0);
    pinsight_gil_holders_clear(&holders);
}

int main(void) {
    return RUN_TESTS(spans_that_overlap_count_once, many_spans, a_holder_is_found_in_either_order,
                     another_thread_or_time_is_no_holder);
}
