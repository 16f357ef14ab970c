/* Reading in a child process that may crash, loop or take all memory. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

#include "base/memory.h"
#include "ctf_writer.h"
#include "reader/ctf/bind.h"
#include "reader/ctf/read_in_child.h"

/* What was taken: how many events, and a sum of all that stands in them. */
struct taken {
    uint64_t events, sum;
    uint64_t most; /* no more is wanted then; 0: all */
};

static void add(struct taken *taken, uint64_t value) {
    taken->sum = (taken->sum ^ value) * UINT64_C(1099511628211);
}

static int take(void *data, const struct pinsight_event *event) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[event->binding->id];
    struct taken *taken = data;

    taken->events++;
    add(taken, event->ns);
    add(taken, event->binding->id);
    add(taken, (uint64_t)pinsight_event_vpid(event));
    add(taken, (uint64_t)pinsight_event_vtid(event));
    for (unsigned i = 0; i < desc->field_count; i++) {
        add(taken, (uint64_t)pinsight_event_integer(event, i));
        add(taken, pinsight_event_time(event, i));
        for (const char *at = pinsight_event_text(event, i); *at; at++)
            add(taken, (unsigned char)*at);
    }
    return taken->most && taken->events >= taken->most;
}

/* How the child reads. */

static int reads(const char *path, const struct ctf_groups *groups, uint64_t bytes,
                 const struct pinsight_source_options *options,
                 struct pinsight_source_result *result) {
    (void)groups;
    (void)bytes;
    return pinsight_source_read(path, options, result);
}

/* Two batches at least, and then what the path says. */
static int hands_on(const char *path, const struct ctf_groups *groups, uint64_t bytes,
                    const struct pinsight_source_options *options,
                    struct pinsight_source_result *result) {
    struct pinsight_bindings bindings = {0};
    const char *name = pinsight_event_descs[PINSIGHT_EVENT_CORE_MARK].full_name;
    struct pinsight_binding *binding =
        pinsight_binding_new(&bindings, name, strlen(name), "host", 4);
    static const unsigned char nothing[16];
    const uint32_t bases[PINSIGHT_EVENT_MAX_FIELDS + 1] = {0};
    struct pinsight_event event = {.binding = binding, .at = nothing, .bases = bases};

    (void)groups;
    (void)bytes;
    pinsight_source_warn(result, pinsight_strdup("something is odd"));
    for (event.ns = 1; event.ns <= 10000 && strcmp(path, "nothing") != 0; event.ns++)
        if (options->on_event(options->data, &event) != 0)
            return 0;
    for (uint64_t i = 0; !strcmp(path, "endless"); i++)
        if (i % 1000 == 0 && options->on_event(options->data, &event) != 0)
            return 0;
    if (!strcmp(path, "crash"))
        raise(SIGSEGV);
    while (!strcmp(path, "loop"))
        ;
    while (!strcmp(path, "memory"))
        if (mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
            MAP_FAILED)
            abort();
    if (!strcmp(path, "exit"))
        _exit(3);
    result->error = pinsight_strdup("no reason");
    return -1;
}

static struct pinsight_source_result read_in_child(ctf_reader *reader, const char *path,
                                                   struct taken *taken, int expected) {
    const struct pinsight_source_options options = {.on_event = take, .data = taken};
    struct pinsight_source_result result = {0};

    assert_int_equal(ctf_read_in_child(reader, path, NULL, 1000, &options, &result), expected);
    assert_true((result.error != NULL) == (expected != 0));
    return result;
}

static void the_same_events_come(void **state) {
    struct ctf_writer writer;
    struct taken here = {0}, child = {0};
    const struct pinsight_source_options options = {.on_event = take, .data = &here};
    struct pinsight_source_result result = {0}, other;

    (void)state;
    ctf_open(&writer, true, NULL);
    for (uint64_t i = 0; i < 3000; i++) {
        ctf_event(&writer, 0, 100 + i, PINSIGHT_EVENT_CORE_REGION_BEGIN, "a region", (int64_t)i);
        if (i % 20 == 19)
            ctf_packet(&writer, 0, i);
    }
    ctf_close(&writer);
    assert_int_equal(pinsight_source_read(writer.folder, &options, &result), 0);
    other = read_in_child(reads, writer.folder, &child, 0);
    assert_int_equal(here.events, 3000);
    assert_int_equal(child.events, 3000);
    assert_true(here.sum == child.sum);
    assert_int_equal(other.events, result.events);
    assert_int_equal(other.known_events, result.known_events);
    assert_int_equal(other.discarded_events, result.discarded_events);
    assert_int_equal(other.from_ns, result.from_ns);
    assert_int_equal(other.until_ns, result.until_ns);
    assert_int_equal(other.streams, result.streams);
    assert_int_equal(other.warning_count, 0);
    pinsight_source_result_clear(&result);
    pinsight_source_result_clear(&other);
    ctf_remove(&writer);
}

/* What the child read is kept, and a warning says how it ended. */
static void how_it_ended(const char *path, const char *words) {
    struct taken taken = {0};
    struct pinsight_source_result result = read_in_child(hands_on, path, &taken, 0);

    /* What was not written yet is lost. */
    assert_in_range(taken.events, 1, !strcmp(path, "endless") ? UINT32_MAX : 10000);
    assert_int_equal(result.events, taken.events);
    assert_int_equal(result.warning_count, 2);
    assert_string_equal(result.warnings[0], "something is odd");
    if (!strstr(result.warnings[1], words))
        fail_msg("%s", result.warnings[1]);
    pinsight_source_result_clear(&result);
}

static void a_child_that_ends_early(void **state) {
    static const char *const cases[][2] = {
        {"crash", "crashed (Segmentation fault)"},
        {"loop", "gave no event for 2 s and was stopped"},
        {"endless", "took 2 s of processor time and was stopped"},
        {"memory", "took more than 1.00 GiB of memory and was stopped"},
        {"exit", "ended too early (exit status 3)"},
        {"failure", "failed (no reason)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        how_it_ended(cases[i][0], cases[i][1]);
}

static void nothing_before_a_failure(void **state) {
    struct taken taken = {0};
    struct pinsight_source_result result = read_in_child(hands_on, "nothing", &taken, -1);

    (void)state;
    assert_string_equal(result.error, "no reason");
    pinsight_source_result_clear(&result);
}

static void no_more_is_wanted(void **state) {
    struct taken taken = {.most = 10};
    struct pinsight_source_result result = read_in_child(hands_on, "loop", &taken, 0);

    (void)state;
    assert_int_equal(taken.events, 10);
    assert_int_equal(result.warning_count, 1);
    pinsight_source_result_clear(&result);
}

static void stopped_by_the_user(void **state) {
    static const volatile sig_atomic_t stop = 1;
    struct taken taken = {0};
    const struct pinsight_source_options options = {
        .on_event = take, .data = &taken, .stop = &stop};
    struct pinsight_source_result result = {0};

    (void)state;
    assert_int_equal(ctf_read_in_child(hands_on, "loop", NULL, 0, &options, &result), 0);
    assert_true(result.stopped);
    pinsight_source_result_clear(&result);
}

int main(void) {
    return RUN_TESTS(the_same_events_come, a_child_that_ends_early, nothing_before_a_failure,
                     no_more_is_wanted, stopped_by_the_user);
}
