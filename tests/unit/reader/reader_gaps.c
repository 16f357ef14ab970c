/* The messages about packets that a stream's file lacks. */
#include "unit.h"

#include "reader/ctf/gaps.h"

#define MS UINT64_C(1000000)

static struct pinsight_source_result result;
static struct ctf_gaps gaps;

static int start(void **state) {
    (void)state;
    pinsight_source_result_clear(&result);
    result.from_ns = 1000 * MS;
    gaps = (struct ctf_gaps){0};
    return 0;
}

static void add(uint64_t packets, uint64_t from_ms, uint64_t until_ms) {
    ctf_gaps_add(&gaps, &result, "/trace/1-2-3",
                 &(struct pinsight_gap){
                     .packets = packets, .from_ns = from_ms * MS, .until_ns = until_ms * MS});
}

/* Asserts the warning about a stream whose packets have at most 100 bytes. */
static void assert_said(uint64_t lacking_bytes, uint64_t end_ms, const char *text) {
    ctf_gaps_warn(&gaps,
                  &(struct ctf_file_end){
                      .lacking_bytes = lacking_bytes, .largest_bytes = 100, .end_ns = end_ms * MS},
                  "/trace/1-2-3", &result);
    assert_int_equal(result.warning_count, text != NULL);
    assert_int_equal(result.damaged_streams, text != NULL);
    assert_int_equal(result.lacking_streams, gaps.count > 0);
    assert_int_equal(result.gap_count, gaps.count);
    assert_int_equal(result.lacking_packets, gaps.packets);
    if (text)
        assert_string_equal(result.warnings[0], text);
}

#define COPY "; copy it again from the place of the recording"

static void a_complete_stream(void **state) {
    (void)state;
    assert_said(0, 2000, NULL);
}

static void a_packet_in_the_middle(void **state) {
    (void)state;
    add(1, 1500, 1520);
    assert_said(0, 2000,
                "/trace/1-2-3 lacks 1 packet that was recorded, for 20.0 ms from 500 ms after the "
                "trace's begin on" COPY);
    assert_int_equal(result.gaps[0].until_ns, 1520 * MS);
    assert_string_equal(result.gaps[0].stream, "/trace/1-2-3");
}

/* Its ends may overlap. */
static void a_gap_without_time(void **state) {
    (void)state;
    add(1, 1520, 1500);
    assert_said(0, 2000,
                "/trace/1-2-3 lacks 1 packet that was recorded, for 0 ns from 500 ms after the "
                "trace's begin on" COPY);
    assert_int_equal(result.gaps[0].from_ns, 1500 * MS);
}

static void a_shorter_file(void **state) {
    (void)state;
    add(2, 1500, 1520);
    assert_said(180, 2000,
                "/trace/1-2-3 is 180 bytes shorter than it was: it lacks 2 packets that were "
                "recorded, for 20.0 ms from 500 ms after the trace's begin on" COPY);
}

static void a_packet_and_the_end(void **state) {
    (void)state;
    add(1, 1500, 1520);
    assert_said(180, 2000,
                "/trace/1-2-3 is 180 bytes shorter than it was: it lacks 1 packet that was "
                "recorded, for 20.0 ms from 500 ms after the trace's begin on; its end, from "
                "1.00 s after the trace's begin on, may be missing" COPY);
}

static void the_end(void **state) {
    (void)state;
    assert_said(180, 2000,
                "/trace/1-2-3 is 180 bytes shorter than it was: its end, from 1.00 s after the "
                "trace's begin on, is missing" COPY);
}

static void an_end_at_an_unknown_time(void **state) {
    (void)state;
    assert_said(180, 0, "/trace/1-2-3 is 180 bytes shorter than it was: its end is missing" COPY);
}

static void many_places(void **state) {
    (void)state;
    add(2, 0, 1100);
    for (uint64_t i = 0; i < 4; i++)
        add(1, 1500 + 100 * i, 1510 + 100 * i);
    assert_said(0, 2000,
                "/trace/1-2-3 lacks 6 packets that were recorded, up to 100 ms after the trace's "
                "begin; for 10.0 ms from 500 ms after the trace's begin on; for 10.0 ms from 600 "
                "ms after the trace's begin on; and in 2 more places" COPY);
}

static void a_trace_without_times(void **state) {
    (void)state;
    add(1, 0, 0);
    assert_said(0, 0, "/trace/1-2-3 lacks 1 packet that was recorded, at an unknown time" COPY);
}

/* What is kept has a limit, and what is counted has none. */
static void more_places_than_are_kept(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 5000; i++)
        add(1, 1500 + i, 1500 + i);
    assert_int_equal(result.gap_count, 1000);
    assert_int_equal(result.lacking_packets, 5000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_complete_stream, start),
        cmocka_unit_test_setup(a_packet_in_the_middle, start),
        cmocka_unit_test_setup(a_gap_without_time, start),
        cmocka_unit_test_setup(a_shorter_file, start),
        cmocka_unit_test_setup(a_packet_and_the_end, start),
        cmocka_unit_test_setup(the_end, start),
        cmocka_unit_test_setup(an_end_at_an_unknown_time, start),
        cmocka_unit_test_setup(many_places, start),
        cmocka_unit_test_setup(a_trace_without_times, start),
        cmocka_unit_test_setup(more_places_than_are_kept, start),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    pinsight_source_result_clear(&result);
    return failed;
}
