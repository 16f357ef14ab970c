/* What the reader adds up of waits: stretches of time, and who held the GIL. */
#include "unit.h"

#include "made_model.h"
#include "reader/clock.h"
#include "reader/model.h"
#include "reader/python/gil_holders.h"
#include "reader/python/spans.h"
#include "reader/waits.h"

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

/* Of more waits than are kept, the oldest go. */
static void the_newest_of_many_are_kept(void **state) {
    struct pinsight_gil_holders holders = {0};
    struct found found = {0};
    const uint64_t second = 1000000000;

    (void)state;
    for (uint64_t i = 1; i <= 200; i++) {
        const struct pinsight_gil_held held = {i * second, i * second + 1000};
        assert_int_equal(pinsight_gil_holder_of(&holders, 0, 7, &held), PINSIGHT_NONE);
    }
    pinsight_gil_holder_waits(&holders, 0, 7, 20 * second + 10, 3, take, &found);
    assert_int_equal(found.count, 0);
    for (uint64_t i = 100; i <= 200; i++)
        pinsight_gil_holder_waits(&holders, 0, 7, i * second + 10, 3, take, &found);
    assert_int_equal(found.count, 101);
    pinsight_gil_holders_clear(&holders);
}

/* What a thread waited and what it wanted a processor is shared out between what is open and what
 * ended, in parts that are rounded: no part is more than it is of, and their sum is what was read.
 */
static void parts_of_a_reading_add_up(void **state) {
    struct pinsight_model *model = made_model();
    struct pinsight_thread *thread =
        pinsight_model_thread(pinsight_model_process(model, 0, 1), 0, 1);
    uint64_t ns = 1, random = 1;

    (void)state;
    pinsight_clock_read(thread, 1, ns, 0, 0);
    for (int i = 0; i < 20000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1;
        uint64_t passed = 1 + (random >> 13) % 100000000000, gap = 1 + (random >> 11) % passed;
        struct pinsight_wait_sums before = {{0}};
        uint64_t more = 0, ready = thread->clock.ready_ns;

        if (model->waits)
            before = *model->waits;
        thread->last_ns = ns + passed - gap;
        ns += passed;
        pinsight_clock_read(thread, 1, ns, 0, i % 3 ? passed : (random >> 33) % passed);
        for (size_t w = 0; model->waits && w < PINSIGHT_WAITS_ALL; w++) {
            assert_true(model->waits->ns[w] >= before.ns[w]);
            more += model->waits->ns[w] - before.ns[w];
        }
        assert_int_equal(more + thread->clock.ready_ns - ready, passed);
    }
    pinsight_model_free(model);
}

int main(void) {
    return RUN_TESTS(parts_of_a_reading_add_up, spans_that_overlap_count_once, many_spans,
                     a_holder_is_found_in_either_order, another_thread_or_time_is_no_holder,
                     the_newest_of_many_are_kept);
}
