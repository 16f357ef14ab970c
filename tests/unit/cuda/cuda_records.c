/* The CUDA domain, told by a stub of CUPTI: records that the real CUPTI made on a device, and calls
 * in any order. */
#include "stub.h"

#include "unit.h"

#include "recorder.h"
#include "tracer/core/control.h"
#include "tracer/core/mode.h"
#include "tracer/cuda/activity.h"
#include "tracer/cuda/domain.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define RECORDS 104

extern int InitializeInjection(void);

static uint8_t content[64 * 1024];
static size_t length, starts[RECORDS], ends[RECORDS + 1];
static uint32_t kinds[RECORDS];
static char names[RECORDS][64];

static void set_mode(enum pinsight_mode mode) {
    struct pinsight_answer answer;
    const struct pinsight_order change = {.kind = PINSIGHT_ORDER_MODE,
                                          .reason = "ctl",
                                          .mode_count = 1,
                                          .modes = {{&pinsight_cuda_domain.domain, mode}}};
    pinsight_control_ask(&change, 0, &answer);
    if (answer.failed)
        fail_msg("%s", answer.message);
}

/* The buffer, with names that are there; see tests/data/cuda. */
static int read_records(void **state) {
    FILE *file = fopen(CUDA_DATA "/cupti-13.0.bin", "rb"),
         *list = fopen(CUDA_DATA "/cupti-13.0.names", "r");
    char line[256];
    size_t count = 0;

    (void)state;
    if (!file || !list)
        return -1;
    length = fread(content, 1, sizeof content, file);
    for (; count < RECORDS && fgets(line, sizeof line, list); count++) {
        sscanf(line, "%zu %u %63s", &starts[count], &kinds[count], names[count]);
        if (count)
            ends[count - 1] = starts[count];
        if (kinds[count] == 10) {
            const char *name = names[count];
            memcpy(content + starts[count] + 104, &name, sizeof name);
        }
    }
    ends[RECORDS - 1] = length;
    fclose(file);
    fclose(list);
    return count == RECORDS && InitializeInjection() == 1 ? 0 : -1;
}

static int clear(void **state) {
    (void)state;
    set_mode(PINSIGHT_MODE_TRACING);
    recorder_clear();
    return 0;
}

/* Fields where the records have them, by their offsets: read here without the domain's
 * declarations. */

static uint64_t word(size_t record, size_t offset, size_t size) {
    uint64_t value = 0;
    memcpy(&value, content + starts[record] + offset, size);
    return value;
}

struct place {
    const char *field;
    size_t offset, size;
};

static const struct place kernel[] = {{"start", 16, 8},     {"end", 24, 8},
                                      {"devId", 40, 4},     {"contextId", 44, 4},
                                      {"streamId", 48, 4},  {"grid_x", 52, 4},
                                      {"grid_y", 56, 4},    {"grid_z", 60, 4},
                                      {"block_x", 64, 4},   {"block_y", 68, 4},
                                      {"block_z", 72, 4},   {"correlationId", 92, 4},
                                      {"graph_id", 156, 4}, {"graph_node_id", 144, 8},
                                      {NULL, 0, 0}};
static const struct place copy[] = {
    {"kind", 4, 1},           {"bytes", 8, 8},      {"start", 16, 8},    {"end", 24, 8},
    {"devId", 32, 4},         {"contextId", 36, 4}, {"streamId", 40, 4}, {"correlationId", 44, 4},
    {"graph_node_id", 64, 8}, {"graph_id", 72, 4},  {NULL, 0, 0}};
static const struct place set[] = {
    {"value", 4, 4},          {"bytes", 8, 8},      {"start", 16, 8},    {"end", 24, 8},
    {"devId", 32, 4},         {"contextId", 36, 4}, {"streamId", 40, 4}, {"correlationId", 44, 4},
    {"graph_node_id", 64, 8}, {"graph_id", 72, 4},  {NULL, 0, 0}};
static const struct place waiting[] = {
    {"kind", 4, 4},       {"start", 8, 8},     {"end", 16, 8}, {"correlationId", 24, 4},
    {"contextId", 28, 4}, {"streamId", 32, 4}, {NULL, 0, 0}};

static const struct place *places_of(uint32_t kind, const char **event) {
    *event = kind == 10  ? "cudaKernelActivity"
             : kind == 1 ? "cudaMemcpyActivity"
             : kind == 2 ? "cudaMemsetActivity"
                         : "cudaSyncActivity";
    return kind == 10 ? kernel : kind == 1 ? copy : kind == 2 ? set : waiting;
}

/* The name that kernel_info has for a number. */
static const char *kernel_name(uint64_t number) {
    const struct recorded *info = NULL;
    while ((info = recorder_next(info, "kernel_info")))
        if (recorder_field(info, "kernel") == number)
            return (const char *)(uintptr_t)recorder_field(info, "name");
    fail_msg("no kernel_info");
    return NULL;
}

static const struct recorded *next_activity(const struct recorded *from) {
    while ((from = recorder_next(from, NULL)))
        if (recorder_is(from, "cudaKernelActivity") || recorder_is(from, "cudaMemcpyActivity") ||
            recorder_is(from, "cudaMemsetActivity") || recorder_is(from, "cudaSyncActivity") ||
            recorder_is(from, "cudaGraphActivity"))
            return from;
    return NULL;
}

static void real_records(void **state) {
    const struct recorded *event = NULL;

    (void)state;
    stub_hand_over(content, length, ends);
    for (size_t i = 0; i < RECORDS; i++) {
        const char *name;
        const struct place *place = places_of(kinds[i], &name);
        event = next_activity(event);
        assert_non_null(event);
        assert_true(recorder_is(event, name));
        for (; place->field; place++)
            assert_int_equal(recorder_field(event, place->field),
                             word(i, place->offset, place->size));
        assert_int_equal(recorder_field(event, "devId"),
                         0); /* also of waiting, whose record does not say it */
        if (kinds[i] == 10)
            assert_string_equal(kernel_name(recorder_field(event, "kernel")), names[i]);
    }
    assert_null(next_activity(event));
    assert_int_equal(recorder_count("kernel_info"), 2);
    assert_int_equal(recorder_count("device_lost"), 0);
}

/* What the file is: the declared numbers are not all 0, and times are those of one run. */
static void real_records_make_sense(void **state) {
    uint64_t first = UINT64_MAX, last = 0;

    (void)state;
    for (size_t i = 0; i < RECORDS; i++) {
        uint64_t start = word(i, kinds[i] == 38 ? 8 : 16, 8),
                 end = word(i, kinds[i] == 38 ? 16 : 24, 8);
        assert_int_equal(word(i, 0, 4), kinds[i]);
        assert_true(start && start <= end);
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    assert_true(last - first < UINT64_C(60000000000));
}

/* A buffer that ends anywhere: the records that are whole. */
static void cut_anywhere(void **state) {
    (void)state;
    for (size_t valid = 0; valid < 2500; valid += 4) {
        size_t whole = 0, count = 0;
        recorder_clear();
        stub_hand_over(content, valid, ends);
        while (ends[whole] <= valid)
            whole++;
        for (const struct recorded *event = next_activity(NULL); event;
             event = next_activity(event))
            count++;
        assert_int_equal(count, whole);
    }
}

/* Kinds that nobody asked for are between the others. */
static void unknown_kinds(void **state) {
    static uint8_t changed[sizeof content];
    const uint32_t strange = 4711;
    size_t left = 0;

    (void)state;
    memcpy(changed, content, length);
    for (size_t i = 0; i < RECORDS; i += 3)
        memcpy(changed + starts[i], &strange, sizeof strange);
    stub_hand_over(changed, length, ends);
    for (const struct recorded *event = next_activity(NULL); event; event = next_activity(event))
        left++;
    assert_int_equal(left, RECORDS - (RECORDS + 2) / 3);
}

static void records_without_names(void **state) {
    static uint8_t changed[sizeof content];

    (void)state;
    memcpy(changed, content, length);
    memset(changed + 104, 0, 8);
    stub_hand_over(changed, 216, ends);
    assert_int_equal(recorder_count("cudaKernelActivity"), 1);
    assert_string_equal(
        kernel_name(recorder_field(recorder_next(NULL, "cudaKernelActivity"), "kernel")), "?");
}

static void dropped_records(void **state) {
    (void)state;
    stub_drop(5);
    stub_hand_over(content, 0, ends);
    stub_hand_over(content, 432, ends);
    const struct recorded *lost = recorder_next(NULL, "device_lost");
    assert_non_null(lost);
    assert_int_equal(recorder_field(lost, "records"), 5);
    assert_null(recorder_next(lost, "device_lost"));
    assert_int_equal(recorder_count("cudaKernelActivity"), 2);
}

/* Work from before a switch comes after it. */
static void handed_over_late(void **state) {
    (void)state;
    set_mode(PINSIGHT_MODE_STANDBY);
    stub_hand_over(content, length, ends);
    assert_int_equal(recorder_count("cudaKernelActivity"), 55);
    set_mode(PINSIGHT_MODE_OFF);
    stub_hand_over(content, length, ends);
    assert_int_equal(recorder_count("cudaKernelActivity"), 110);
}

/* Pools are asked for by a kind of events of their own. */
static void pools_of_memory(void **state) {
    const struct cupti_memory_pool made = {.kind = CUPTI_MEMORY_POOL,
                                           .operation = 3,
                                           .type = 1,
                                           .correlation = 77,
                                           .device = 1,
                                           .least_kept = 4096,
                                           .address = 0x7f0000001000,
                                           .size = 1 << 20,
                                           .time = 123456789,
                                           .used = 8192};
    const size_t whole[] = {sizeof made, 0};
    const struct recorded *event;

    (void)state;
    assert_false(stub_asked()->enabled[CUPTI_MEMORY_POOL]);
    stub_hand_over((const uint8_t *)&made, sizeof made, whole);
    event = recorder_next(NULL, "cudaMemPoolActivity");
    assert_non_null(event);
    assert_int_equal(recorder_field(event, "devId"), 1);
    assert_int_equal(recorder_field(event, "correlationId"), 77);
    assert_int_equal(recorder_field(event, "address"), 0x7f0000001000);
    assert_int_equal(recorder_field(event, "operation"), 3);
    assert_int_equal(recorder_field(event, "size"), 1 << 20);
    assert_int_equal(recorder_field(event, "used"), 8192);
    assert_int_equal(recorder_field(event, "least_kept"), 4096);
    pinsight_cuda_activity_pools(true);
    assert_true(stub_asked()->enabled[CUPTI_MEMORY_POOL]);
    pinsight_cuda_activity_pools(false);
    assert_false(stub_asked()->enabled[CUPTI_MEMORY_POOL]);
}

/* What CUPTI is asked for in each mode. */
static void asked_by_mode(void **state) {
    const struct stub_asked *asked = stub_asked();

    (void)state;
    assert_true(asked->is_subscribed && asked->called_back[307] && asked->enabled[10] &&
                asked->enabled[51]);
    assert_false(asked->called_back[2]);
    set_mode(PINSIGHT_MODE_MONITORING);
    assert_true(asked->is_subscribed && asked->called_back[307]);
    assert_false(asked->enabled[10] || asked->enabled[1] || asked->enabled[51]);
    set_mode(PINSIGHT_MODE_STANDBY);
    assert_true(asked->is_subscribed);
    assert_false(asked->called_back[307] || asked->called_back[277]);
    set_mode(PINSIGHT_MODE_OFF);
    assert_false(asked->is_subscribed);
    set_mode(PINSIGHT_MODE_TRACING);
    assert_true(asked->is_subscribed && asked->called_back[307] && asked->enabled[10] &&
                asked->enabled[51]);
}

/* Calls. */

static const uint64_t launch[] = {
    0, 2 | UINT64_C(3) << 32, 4 | UINT64_C(32) << 32, 1 | UINT64_C(5) << 32, 99, 13, 0, 0};

static void call(uint32_t number, uint32_t correlation, const uint64_t *params, uint32_t result) {
    stub_call(number, CUPTI_AT_ENTER, correlation, params, NULL, "kernel");
    stub_call(number, CUPTI_AT_EXIT, correlation, params, &result, "kernel");
}

static void a_launch(void **state) {
    (void)state;
    call(307, 1, launch, 700);
    const struct recorded *begin = recorder_next(NULL, "cudaKernelLaunch_begin");
    assert_non_null(begin);
    static const struct {
        const char *field;
        uint64_t value;
    } wanted[] = {{"correlationId", 1}, {"devId", 0},   {"contextId", 1},     {"streamId", 13},
                  {"grid_x", 2},        {"grid_y", 3},  {"grid_z", 4},        {"block_x", 32},
                  {"block_y", 1},       {"block_z", 5}, {"shared_bytes", 99}, {"py_path", 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(recorder_field(begin, wanted[i].field), wanted[i].value);
    assert_string_equal(kernel_name(recorder_field(begin, "kernel")), "kernel");
    assert_int_equal(recorder_field(recorder_next(begin, "cudaKernelLaunch_end"), "return_value"),
                     700);
}

/* The driver calls itself, with the number of the call around it: that is one call. */
static uint64_t launched_in(void) {
    recorder_clear();
    call(307, 50, launch, 0);
    return recorder_field(recorder_next(NULL, "cudaKernelLaunch_begin"), "streamId");
}

/* A handle is used again for another stream when its stream has ended. */
static void streams_that_end(void **state) {
    (void)state;
    assert_int_equal(launched_in(), 13);
    stub_number_streams(100);
    assert_int_equal(launched_in(), 13); /* known */
    stub_resource(CUPTI_STREAM_DESTROY_STARTING);
    assert_int_equal(launched_in(), 113);
    stub_number_streams(200);
    stub_resource(CUPTI_CONTEXT_DESTROY_STARTING);
    assert_int_equal(launched_in(), 213);
    stub_number_streams(0);
    stub_resource(CUPTI_STREAM_DESTROY_STARTING);
}

/* The memory of a kernel's name may have another's when its module was unloaded. */
static void modules_that_end(void **state) {
    char name[16] = "first";
    uint32_t result = 0;

    (void)state;
    for (int i = 0; i < 2; i++) {
        stub_call(307, CUPTI_AT_ENTER, 60, launch, NULL, name);
        stub_call(307, CUPTI_AT_EXIT, 60, launch, &result, name);
        const struct recorded *begin = recorder_next(NULL, "cudaKernelLaunch_begin");
        assert_string_equal(kernel_name(recorder_field(begin, "kernel")), name);
        recorder_clear();
        stub_resource(CUPTI_MODULE_UNLOAD_STARTING);
        strcpy(name, "second");
    }
}

/* Each of many names has its own kernel, also if one begins like another. */
static void names_that_begin_alike(void **state) {
    enum { NAMES = 300 };
    static char name[NAMES + 1];
    const struct recorded *begin = NULL;

    (void)state;
    memset(name, 'k', NAMES);
    for (int i = 0; i < NAMES; i++) {
        uint32_t result = 0;
        stub_call(307, CUPTI_AT_ENTER, 60, launch, NULL, name + i);
        stub_call(307, CUPTI_AT_EXIT, 60, launch, &result, name + i);
    }
    for (int i = 0; i < NAMES; i++) {
        begin = recorder_next(begin, "cudaKernelLaunch_begin");
        assert_string_equal(kernel_name(recorder_field(begin, "kernel")), name + i);
    }
}

static void calls_within_a_call(void **state) {
    const uint64_t taken[] = {0, 100};
    uint32_t result = 0;

    (void)state;
    stub_call(307, CUPTI_AT_ENTER, 5, launch, NULL, "kernel");
    call(243, 5, taken, 0);
    call(307, 5, launch, 0);
    stub_call(307, CUPTI_AT_EXIT, 5, launch, &result, "kernel");
    call(307, 6, launch, 0);
    assert_int_equal(recorder_count("cudaKernelLaunch_begin"), 2);
    assert_int_equal(recorder_count("cudaKernelLaunch_end"), 2);
    assert_int_equal(recorder_count("cudaMalloc_begin"), 0);
}

/* Callbacks were switched between a call's begin and its end: the next calls are whole all the
 * same. */
static void half_a_call(void **state) {
    uint32_t result = 0;

    (void)state;
    stub_call(307, CUPTI_AT_EXIT, 7, launch, &result, "kernel");
    assert_int_equal(recorder_count("cudaKernelLaunch_end"), 0);
    stub_call(307, CUPTI_AT_ENTER, 8, launch, NULL, "kernel");
    set_mode(PINSIGHT_MODE_STANDBY);
    set_mode(PINSIGHT_MODE_TRACING);
    recorder_clear();
    for (uint32_t i = 9; i < 20; i++)
        call(307, i, launch, 0);
    assert_int_equal(recorder_count("cudaKernelLaunch_begin"), 11);
    assert_int_equal(recorder_count("cudaKernelLaunch_end"), 11);
    for (const struct recorded *end = NULL; (end = recorder_next(end, "cudaKernelLaunch_end"));)
        assert_true(recorder_field(end, "correlationId") >= 9);
}

/* Threads call, CUPTI's thread hands over, and the mode changes: the thread sanitizer looks. */

static atomic_bool is_over;
static atomic_uint correlations;

/* The configuration or the mode is looked at anew while a call is open, and nothing else is wanted:
 * its end comes. */
static void nothing_changes_within_a_call(void **state) {
    uint32_t result = 0;

    (void)state;
    stub_call(307, CUPTI_AT_ENTER, 90, launch, NULL, "scale");
    pinsight_domain_settings_changed(&pinsight_cuda_domain.domain);
    stub_call(307, CUPTI_AT_EXIT, 90, launch, &result, "scale");
    assert_int_equal(recorder_count("cudaKernelLaunch_begin"), 1);
    assert_int_equal(recorder_count("cudaKernelLaunch_end"), 1);
}

static void *call_on(void *unused) {
    (void)unused;
    while (!atomic_load(&is_over))
        call(307, atomic_fetch_add(&correlations, 1) + 100000, launch, 0);
    return NULL;
}

static void *hand_over_on(void *unused) {
    (void)unused;
    while (!atomic_load(&is_over)) {
        stub_hand_over(content, length, ends);
        usleep(1000);
    }
    return NULL;
}

static void many_threads(void **state) {
    static const enum pinsight_mode modes[] = {PINSIGHT_MODE_STANDBY, PINSIGHT_MODE_TRACING,
                                               PINSIGHT_MODE_OFF, PINSIGHT_MODE_MONITORING,
                                               PINSIGHT_MODE_TRACING};
    pthread_t threads[4];
    size_t begins, finished;

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i ? call_on : hand_over_on, NULL), 0);
    for (int i = 0; i < 20; i++) {
        usleep(2000);
        set_mode(modes[i % 5]);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    begins = recorder_count("cudaKernelLaunch_begin");
    finished = recorder_count("cudaKernelLaunch_end");
    assert_true(begins > 0 && finished <= begins && begins - finished <= 3 * 20);
}

int main(void) {
    recorder_listen(true);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(real_records, clear),
        cmocka_unit_test_setup(real_records_make_sense, clear),
        cmocka_unit_test_setup(cut_anywhere, clear),
        cmocka_unit_test_setup(unknown_kinds, clear),
        cmocka_unit_test_setup(records_without_names, clear),
        cmocka_unit_test_setup(dropped_records, clear),
        cmocka_unit_test_setup(handed_over_late, clear),
        cmocka_unit_test_setup(pools_of_memory, clear),
        cmocka_unit_test_setup(asked_by_mode, clear),
        cmocka_unit_test_setup(a_launch, clear),
        cmocka_unit_test_setup(streams_that_end, clear),
        cmocka_unit_test_setup(modules_that_end, clear),
        cmocka_unit_test_setup(names_that_begin_alike, clear),
        cmocka_unit_test_setup(calls_within_a_call, clear),
        cmocka_unit_test_setup(half_a_call, clear),
        cmocka_unit_test_setup(nothing_changes_within_a_call, clear),
        cmocka_unit_test_setup(many_threads, clear),
    };
    return cmocka_run_group_tests(tests, read_records, NULL);
}
