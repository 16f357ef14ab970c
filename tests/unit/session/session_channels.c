/* The sizes of buffers on machines small and large. */
#include "unit.h"

#include "session/lttng/channels.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static uint64_t sum(const struct pinsight_machine *machine,
                    const struct pinsight_channel_sizes *sizes) {
    return (sizes->definitions + sizes->events + sizes->registry) * PINSIGHT_SUB_BUFFERS *
           machine->processors;
}

static void test_laptop(void **state) {
    struct pinsight_machine machine = {8, 8 * GIB, 16 * GIB};
    struct pinsight_channel_sizes sizes = pinsight_channel_choose_sizes(&machine, false, 0);

    (void)state;
    assert_true(sizes.events == 1 * MIB);
    assert_true(sizes.definitions == 64 * KIB);
    assert_true(sizes.registry == 0);
}

static void test_large_node(void **state) {
    struct pinsight_machine machine = {128, 128 * GIB, 512 * GIB};
    struct pinsight_channel_sizes sizes = pinsight_channel_choose_sizes(&machine, false, 0);

    (void)state;
    assert_true(sizes.events == 64 * KIB);
    assert_true(sum(&machine, &sizes) <= 64 * MIB);
}

static void test_small_container(void **state) {
    struct pinsight_machine machine = {16, 64 * MIB, 64 * GIB};
    struct pinsight_channel_sizes sizes = pinsight_channel_choose_sizes(&machine, false, 0);

    (void)state;
    assert_true(sizes.events == 64 * KIB);
    assert_true(sum(&machine, &sizes) < machine.shared_memory / 4);
}

static void test_sizes_are_powers_of_two_of_at_least_a_page(void **state) {
    (void)state;
    for (unsigned processors = 0; processors < 5000; processors = processors * 2 + 1) {
        for (uint64_t memory = 0; memory < GIB * 1024; memory = memory * 3 + 1000000) {
            struct pinsight_machine machine = {processors, memory / 2, memory};
            struct pinsight_channel_sizes sizes = pinsight_channel_choose_sizes(&machine, true, 0);
            assert_true(sizes.events >= 4 * KIB && (sizes.events & (sizes.events - 1)) == 0);
            assert_true(sizes.registry >= sizes.events &&
                        (sizes.registry & (sizes.registry - 1)) == 0);
            assert_true(sizes.definitions >= 4 * KIB &&
                        (sizes.definitions & (sizes.definitions - 1)) == 0);
        }
    }
}

static void test_wanted_size(void **state) {
    struct pinsight_machine machine = {2, GIB, 4 * GIB};
    struct pinsight_channel_sizes sizes = pinsight_channel_choose_sizes(&machine, false, 32 * KIB);

    (void)state;
    assert_true(sizes.events == 32 * KIB);
    sizes = pinsight_channel_choose_sizes(&machine, true, 16 * MIB);
    assert_true(sizes.registry == 16 * MIB);
    assert_true(sizes.events == 256 * KIB);
}

static void test_this_machine(void **state) {
    struct pinsight_machine machine;

    (void)state;
    pinsight_machine_look(&machine);
    assert_in_range(machine.processors, 1, 1 << 16);
    assert_true(machine.memory > 0);
}

int main(void) {
    return RUN_TESTS(test_laptop, test_large_node, test_small_container,
                     test_sizes_are_powers_of_two_of_at_least_a_page, test_wanted_size,
                     test_this_machine);
}
