/* States of a thread that calls CUDA: a list that is full keeps what took longest. */
#include "unit.h"

#include "views/cuda/hosts.h"

static uint64_t settle_nothing(void *data, uint64_t before_ns) {
    (void)data;
    (void)before_ns;
    return 0;
}

/* Alternates between two causes until the list was full, and returns the cause at `ns`. */
static enum pinsight_idle_cause cause_at(uint64_t gc_ns, uint64_t gil_ns, uint64_t ns) {
    struct pinsight_process process = {0};
    struct pinsight_thread thread = {.process = &process};
    struct pinsight_track track = {.thread = &thread};
    struct pinsight_hosts hosts = {.settle = settle_nothing};
    struct pinsight_host *host = pinsight_host_new(&hosts, &track);
    const struct pinsight_host_entry *entry;
    enum pinsight_idle_cause cause;
    uint64_t now = 1000;

    host->calls = true;
    for (size_t i = 0; i <= PINSIGHT_HOST_STATES; i++) {
        const bool is_gc = i % 2 == 0;

        pinsight_host_begin(host, is_gc ? PINSIGHT_SLICE_GC : PINSIGHT_SLICE_GIL, 0, PINSIGHT_NONE,
                            PINSIGHT_NONE, now);
        now += is_gc ? gc_ns : gil_ns;
        pinsight_host_end(host, now);
    }
    assert_true(host->count < PINSIGHT_HOST_STATES);
    entry = pinsight_host_at(host, ns);
    assert_true(entry->coarse);
    assert_false(pinsight_host_at(host, now - 1)->coarse);
    cause = hosts.states[entry->state].cause;
    pinsight_hosts_clear(&hosts);
    return cause;
}

static void joined_states_are_the_longer_ones(void **state) {
    (void)state;
    assert_int_equal(cause_at(10, 90, 1000), PINSIGHT_IDLE_GIL);
    assert_int_equal(cause_at(90, 10, 1095), PINSIGHT_IDLE_GC);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_states_are_the_longer_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
