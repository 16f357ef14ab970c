/* Perfetto's packets byte by byte, and processes and threads as viewers number them. */
#include "unit.h"

#include "reader/timeline.h"
#include "views/export/perfetto_packet.h"
#include "views/lanes.h"

static void assert_bytes(const struct pinsight_bytes *message, const char *bytes, size_t size) {
    assert_int_equal(message->size, size);
    assert_memory_equal(message->bytes, bytes, size);
}
#define ASSERT_BYTES(MESSAGE, BYTES) assert_bytes(MESSAGE, BYTES, sizeof(BYTES) - 1)

/* The examples of "Encoding" in Protocol Buffers' documentation, and the ends of the ranges. */
static void test_wire(void **state) {
    struct pinsight_bytes message = {0}, outer = {0};

    (void)state;
    pinsight_put(&message, 1, 150);
    ASSERT_BYTES(&message, "\x08\x96\x01");
    pinsight_put_message(&outer, 3, &message);
    ASSERT_BYTES(&outer, "\x1a\x03\x08\x96\x01");
    message.size = outer.size = 0;
    pinsight_put_message(&outer, 3, &message);
    assert_int_equal(outer.size, 0);
    pinsight_put_bytes(&message, 2, "testing", 7);
    ASSERT_BYTES(&message, "\x12\x07testing");
    message.size = 0;
    pinsight_put(&message, 16, (uint64_t)-2);
    ASSERT_BYTES(&message, "\x80\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    message.size = 0;
    pinsight_put_fixed(&message, 47, UINT64_C(0x0102030405060708));
    ASSERT_BYTES(&message, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01");
    message.size = 0;
    pinsight_put(&message, 1, 0);
    pinsight_put(&message, 1, 127);
    pinsight_put(&message, 1, 128);
    ASSERT_BYTES(&message, "\x08\x00\x08\x7f\x08\x80\x01");
    message.size = 0;
    for (unsigned i = 0; i < 1000; i++)
        pinsight_put_fixed(&message, 1, i);
    assert_int_equal(message.size, 9000);
    free(message.bytes);
    free(outer.bytes);
}

static void test_packets(void **state) {
    static const char name[] = "f\xff\xc3\xa9";
    struct pinsight_perfetto perfetto;
    FILE *file = tmpfile();
    char bytes[256];
    size_t size;

    (void)state;
    assert_non_null(file);
    pinsight_perfetto_open(&perfetto, file);
    for (int i = 0; i < 2; i++) {
        pinsight_perfetto_event(&perfetto, PINSIGHT_PERFETTO_SLICE_BEGIN, 5, 300);
        pinsight_perfetto_name(&perfetto, "c", name);
        pinsight_perfetto_write(&perfetto);
    }
    pinsight_perfetto_event(&perfetto, PINSIGHT_PERFETTO_SLICE_END, 5, 301);
    pinsight_perfetto_write(&perfetto);
    pinsight_perfetto_flush(&perfetto);
    pinsight_perfetto_clear(&perfetto);
    rewind(file);
    size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    /* The first has the names, and says that names start and that it refers to them. */
    static const char expected[] =
        "\x0a\x2a\x40\xac\x02\x5a\x08\x48\x01\x58\x05\x18\x01\x50\x01"
        "\x62\x14\x0a\x05\x08\x01\x12\x01"
        "c\x12\x0b\x08\x01\x12\x07"
        "f\\xff\xc3\xa9"
        "\x50\x01\x68\x03\xb8\x05\x01"
        "\x0a\x11\x40\xac\x02\x5a\x08\x48\x01\x58\x05\x18\x01\x50\x01\x50\x01\x68\x02"
        "\x0a\x0b\x40\xad\x02\x5a\x04\x48\x02\x58\x05\x50\x01";
    assert_int_equal(size, sizeof(expected) - 1);
    assert_memory_equal(bytes, expected, size);
}

static struct pinsight_lane *begin_slice(struct pinsight_lanes *lanes,
                                         struct pinsight_thread *thread) {
    struct pinsight_slice slice = pinsight_slice_of(PINSIGHT_SLICE_TASK, PINSIGHT_NONE, 1);

    pinsight_slice_begin(thread, &slice, 10);
    return pinsight_lane_of(lanes, thread->track);
}

/* Processes and threads that share numbers are told apart. */
static void test_lanes(void **state) {
    struct pinsight_model_options options = {.thread = -1, .process = -1};
    struct pinsight_model *model = pinsight_model_new(&options);
    struct pinsight_timeline timeline = {0};
    struct pinsight_lanes lanes = {.model = model};
    struct pinsight_process *here, *there;
    int32_t pids[2], tids[4];

    (void)state;
    pinsight_model_show(model, &timeline);
    here = pinsight_model_process_info(model, 0, 100, 5, 1, 1, "a", "p", "p", "", NULL);
    there = pinsight_model_process_info(model, 1, 100, 5, 1, 0, "b", "p", "p", "", NULL);
    tids[0] = begin_slice(&lanes, pinsight_model_thread_info(model, here, 100, 0, "main", 6))->tid;
    tids[1] = begin_slice(&lanes, pinsight_model_thread_info(model, there, 100, 0, "main", 6))->tid;
    tids[2] = begin_slice(&lanes, pinsight_model_thread_info(model, there, 101, 1, "one", 6))->tid;
    tids[3] = begin_slice(&lanes, pinsight_model_thread(here, 7, 0))->tid;
    assert_int_equal(lanes.thread_count, 4);
    assert_int_equal(lanes.process_count, 2);
    pids[0] = lanes.processes[0].pid;
    pids[1] = lanes.processes[1].pid;
    assert_int_equal(pids[0], 100);
    assert_true(pids[1] > 1 << 22);
    assert_int_equal(tids[0], 100);
    assert_true(tids[1] > 1 << 22 && tids[3] > 1 << 22 && tids[1] != tids[3]);
    assert_int_equal(tids[2], 101);
    assert_int_equal(pinsight_lane_process_order(&lanes.processes[0]), 1);
    assert_int_equal(pinsight_lane_process_order(&lanes.processes[1]), 0);
    assert_int_equal(pinsight_lane_order(&lanes.threads[2]), 1);
    pinsight_lanes_clear(&lanes);
    pinsight_model_free(model);
}

static void test_running(void **state) {
    struct pinsight_model_options options = {.thread = -1, .process = -1};
    struct pinsight_model *model = pinsight_model_new(&options);
    struct pinsight_timeline timeline = {0};
    struct pinsight_lanes lanes = {.model = model};
    struct pinsight_slice task = pinsight_slice_of(PINSIGHT_SLICE_TASK, PINSIGHT_NONE, 1),
                          wait = pinsight_slice_of(PINSIGHT_SLICE_WAIT, 0, 1);
    struct pinsight_lane *lane;

    (void)state;
    pinsight_model_show(model, &timeline);
    lane = begin_slice(&lanes, pinsight_model_thread(pinsight_model_process(model, 0, 4), 0, 4));
    assert_int_equal(pinsight_lane_time(lane, 20), 20);
    assert_int_equal(pinsight_lane_time(lane, 19), 20);
    assert_int_equal(pinsight_lane_runs(&lanes, lane, &task)->running, 1);
    assert_null(pinsight_lane_runs(&lanes, lane, &task));
    assert_int_equal(pinsight_lane_runs(&lanes, lane, &wait)->running, 0);
    assert_null(pinsight_lane_runs(&lanes, lane, NULL));
    assert_int_equal(pinsight_lane_runs(&lanes, lane, &task)->last_ns, 20);
    pinsight_lanes_clear(&lanes);
    pinsight_model_free(model);
}

int main(void) {
    return RUN_TESTS(test_wire, test_packets, test_lanes, test_running);
}
