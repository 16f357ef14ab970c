/* Whole traces and damaged ones, read from disk. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "ctf_writer.h"
#include "reader/ctf/chunks.h"
#include "reader/kit/native.h"
#include "reader/kit/paths.h"
#include "reader/openmp/openmp.h"
#include "reader/trace.h"

struct reading {
    struct pinsight_model *model;
    struct pinsight_source_result result;
    uint64_t last_ns;
    bool ordered;
    int rc;
};

static int on_event(void *data, const struct pinsight_event *event) {
    struct reading *reading = data;

    reading->ordered = reading->ordered && event->ns >= reading->last_ns;
    reading->last_ns = event->ns;
    return 0;
}

static struct reading read_path(const char *path) {
    struct reading reading = {.ordered = true};
    const struct trace_observers observers = {.on_event = on_event, .data = &reading};

    reading.model =
        pinsight_model_new(&(struct pinsight_model_options){.thread = -1, .process = -1});
    reading.rc = trace_read(path, reading.model, &observers, &reading.result);
    assert_true((reading.rc == 0) == (reading.result.error == NULL));
    return reading;
}

static void done(struct reading *reading) {
    pinsight_model_free(reading->model);
    pinsight_source_result_clear(&reading->result);
}

static void call(struct ctf_writer *writer, int stream, uint64_t ns, const char *name,
                 uint64_t code) {
    ctf_event(writer, stream, ns, PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN, name, "a.py", INT64_C(3),
              code, INT64_C(0), UINT64_C(0));
    ctf_event(writer, stream, ns + 5, PINSIGHT_EVENT_PYTHON_FUNCTION_END, name, "a.py", INT64_C(3),
              code, INT64_C(0), UINT64_C(0));
}

static void streams_are_merged(void **state) {
    struct ctf_writer writer;
    struct reading reading;

    (void)state;
    ctf_open(&writer, true, NULL);
    for (uint64_t i = 0; i < 12; i++)
        call(&writer, (int)(i * 7 % 3), 100 + i * 10, "f", 1);
    ctf_close(&writer);
    reading = read_path(writer.folder);
    assert_int_equal(reading.rc, 0);
    assert_true(reading.ordered);
    assert_int_equal(reading.result.known_events, 24);
    assert_int_equal(reading.model->function_count, 1);
    assert_int_equal(reading.model->functions[0].stats.calls, 12);
    assert_int_equal(reading.model->functions[0].stats.total_ns, 60);
    assert_int_equal(reading.model->processes[0]->pid, 100);
    assert_int_equal(reading.model->unmatched_ends, 0);
    done(&reading);
    ctf_remove(&writer);
}

static void definitions_come_first(void **state) {
    struct ctf_writer writer;
    struct reading reading;

    (void)state;
    ctf_open(&writer, true, NULL);
    ctf_event(&writer, 0, 50, PINSIGHT_EVENT_PYTHON_BEGIN, UINT64_C(7), UINT64_C(4 * 9));
    ctf_event(&writer, 0, 60, PINSIGHT_EVENT_PYTHON_END, UINT64_C(7), UINT64_C(4 * 9));
    ctf_event(&writer, 1, 50, PINSIGHT_EVENT_CORE_THREAD_INFO, INT64_C(100), UINT64_C(7),
              INT64_C(2), "worker");
    ctf_event(&writer, 1, 50, PINSIGHT_EVENT_PYTHON_CODE_INFO, UINT64_C(9), UINT64_C(0xabc), "g",
              "b.py", INT64_C(4), "m");
    ctf_close(&writer);
    reading = read_path(writer.folder);
    assert_int_equal(reading.rc, 0);
    assert_int_equal(reading.model->function_count, 1);
    assert_true(reading.model->functions[0].known);
    assert_int_equal(reading.model->process_count, 1);
    assert_int_equal(reading.model->processes[0]->thread_list[0]->number, 2);
    done(&reading);
    ctf_remove(&writer);
}

static void contexts_may_be_missing(void **state) {
    struct ctf_writer writer;
    struct reading reading;

    (void)state;
    ctf_open(&writer, false, NULL);
    ctf_event(&writer, 0, 10, PINSIGHT_EVENT_CORE_PROCESS_INFO, INT64_C(55), INT64_C(1),
              INT64_C(-1), "h", "/bin/p", "p", "0");
    call(&writer, 0, 20, "f", 1);
    ctf_close(&writer);
    reading = read_path(writer.folder);
    assert_int_equal(reading.rc, 0);
    assert_int_equal(reading.model->process_count, 1);
    assert_int_equal(reading.model->processes[0]->pid, 55);
    assert_int_equal(reading.model->processes[0]->events, 2);
    done(&reading);
    ctf_remove(&writer);
}

static void discards_are_exact(void **state) {
    struct ctf_writer writer;
    struct reading reading;

    (void)state;
    ctf_open(&writer, true, NULL);
    call(&writer, 0, 10, "f", 1);
    ctf_packet(&writer, 0, 5);
    call(&writer, 0, 20, "f", 1);
    ctf_packet(&writer, 0, 5);
    call(&writer, 0, 30, "f", 1);
    ctf_packet(&writer, 0, 12);
    call(&writer, 1, 30, "f", 1);
    ctf_packet(&writer, 1, 0);
    reading = read_path(writer.folder);
    assert_int_equal(reading.result.discarded_events, 12);
    assert_false(reading.result.unclear_discards);
    done(&reading);
    ctf_remove(&writer);
}

static void make_three_packets(struct ctf_writer *writer) {
    ctf_open(writer, true, NULL);
    for (uint64_t packet = 0; packet < 3; packet++) {
        for (uint64_t i = 0; i < 10; i++)
            call(writer, 0, 1000 * packet + 10 * i, "f", 1);
        ctf_packet(writer, 0, 0);
    }
    call(writer, 1, 15, "other", 2);
    ctf_close(writer);
}

/* However much of a stream is there, what is there is read, and the other streams are. */
/* As LTTng 2.13 has it at times, where threads that record are taken off their processors. */
static void discards_do_not_run_back(void **state) {
    static const uint64_t counts[] = {5, 9, 0, 12, 12, 0};
    struct ctf_writer writer;
    struct reading reading;

    (void)state;
    ctf_open(&writer, true, NULL);
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        call(&writer, 0, 10 * (i + 1), "f", 1);
        ctf_packet(&writer, 0, counts[i]);
    }
    call(&writer, 1, 30, "f", 1);
    ctf_packet(&writer, 1, 0);
    reading = read_path(writer.folder);
    assert_int_equal(reading.result.discarded_events, 12);
    assert_false(reading.result.unclear_discards);
    done(&reading);
    ctf_remove(&writer);
}

static void streams_that_are_cut_off(void **state) {
    uint64_t before = 0;

    (void)state;
    for (off_t size = 0; size <= 3 * CTF_PACKET_SIZE; size += 401) {
        struct ctf_writer writer;
        struct reading reading;

        make_three_packets(&writer);
        assert_int_equal(truncate(ctf_path(&writer, "stream_0"), size), 0);
        reading = read_path(writer.folder);
        assert_int_equal(reading.rc, 0);
        assert_true(reading.ordered);
        assert_true(reading.result.events >= 2);
        assert_true(reading.result.events >= before);
        before = reading.result.events;
        if (size > 0 && size % CTF_PACKET_SIZE != 0)
            assert_true(reading.result.warning_count == 1);
        done(&reading);
        ctf_remove(&writer);
    }
    assert_int_equal(before, 2 + 60);
}

static void metadata_that_is_cut_off(void **state) {
    struct ctf_writer writer;
    struct reading reading;
    struct stat st;

    (void)state;
    make_three_packets(&writer);
    assert_int_equal(stat(ctf_path(&writer, "metadata"), &st), 0);
    for (off_t size = st.st_size - 1; size > 0; size -= 487) {
        assert_int_equal(truncate(ctf_path(&writer, "metadata"), size), 0);
        reading = read_path(writer.folder);
        assert_true(reading.rc == 0 || strstr(reading.result.error, "metadata"));
        done(&reading);
    }
    assert_int_equal(truncate(ctf_path(&writer, "metadata"), 0), 0);
    reading = read_path(writer.folder);
    assert_int_equal(reading.rc, -1);
    assert_non_null(strstr(reading.result.error, "metadata"));
    done(&reading);
    unlink(ctf_path(&writer, "metadata"));
    reading = read_path(writer.folder);
    assert_int_equal(reading.rc, -1);
    assert_non_null(strstr(reading.result.error, "no metadata"));
    done(&reading);
    ctf_remove(&writer);
}

/* Bytes that change anywhere in the streams end in a report or in an error, never in a crash. */
static void bytes_that_change(void **state) {
    (void)state;
    srand(7);
    for (int round = 0; round < 150; round++) {
        struct ctf_writer writer;
        struct reading reading;
        unsigned char noise[16];
        int fd;

        make_three_packets(&writer);
        fd = open(ctf_path(&writer, "stream_0"), O_WRONLY);
        for (size_t i = 0; i < sizeof(noise); i++)
            noise[i] = (unsigned char)rand();
        assert_true(pwrite(fd, noise, (size_t)(1 + rand() % 16), rand() % (3 * CTF_PACKET_SIZE)) >
                    0);
        close(fd);
        reading = read_path(writer.folder);
        done(&reading);
        ctf_remove(&writer);
    }
}

static void a_file_that_does_not_belong(void **state) {
    struct ctf_writer writer;
    struct reading reading;
    FILE *file;

    (void)state;
    make_three_packets(&writer);
    file = fopen(ctf_path(&writer, "readme.txt"), "w");
    fputs("hello\n", file);
    fclose(file);
    reading = read_path(writer.folder);
    assert_int_equal(reading.rc, 0);
    assert_int_equal(reading.result.events, 62);
    assert_int_equal(reading.result.warning_count, 1);
    assert_int_equal(reading.result.damaged_streams, 0);
    done(&reading);
    ctf_remove(&writer);
}

/* Beside a trace lies a folder that has metadata and nothing else of use, before or behind it. */
static void a_trace_beside_one_that_is_broken(void **state) {
    static const char metadata[] = "/* CTF 1.8 */\ntrace { nonsense };\n";

    (void)state;
    for (int behind = 0; behind < 2; behind++) {
        char parent[] = "/tmp/pinsight-ctf-XXXXXX", good[64], broken[64], file[80];
        struct ctf_writer writer;
        struct reading reading;
        int fd;

        assert_non_null(mkdtemp(parent));
        snprintf(good, sizeof(good), "%s/good", parent);
        snprintf(broken, sizeof(broken), "%s/%s", parent, behind ? "later" : "first");
        snprintf(file, sizeof(file), "%s/metadata", broken);
        assert_int_equal(mkdir(broken, 0700), 0);
        fd = open(file, O_WRONLY | O_CREAT, 0600);
        assert_int_equal(write(fd, metadata, sizeof(metadata) - 1), sizeof(metadata) - 1);
        close(fd);
        make_three_packets(&writer);
        assert_int_equal(rename(writer.folder, good), 0);
        reading = read_path(parent);
        assert_int_equal(reading.rc, 0);
        assert_int_equal(reading.result.events, 62);
        assert_true(reading.result.warning_count > 0);
        done(&reading);
        snprintf(writer.folder, sizeof(writer.folder), "%s", good);
        ctf_remove(&writer);
        unlink(file);
        rmdir(broken);
        rmdir(parent);
    }
}

#define CHUNK_0 "20261121T002906+0000-20261121T002907+0000-0"
#define CHUNK_1 "20261121T002907+0000-20261121T002910+0000-1"

static void begin(struct ctf_writer *writer, uint64_t ns, const char *name, uint64_t code) {
    ctf_event(writer, 0, ns, PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN, name, "a.py", INT64_C(3), code,
              INT64_C(0), UINT64_C(0));
}

static void end(struct ctf_writer *writer, uint64_t ns, const char *name, uint64_t code) {
    ctf_event(writer, 0, ns, PINSIGHT_EVENT_PYTHON_FUNCTION_END, name, "a.py", INT64_C(3), code,
              INT64_C(0), UINT64_C(0));
}

/* A trace of two chunks, in which "f" runs on from one to the other. */
static void make_chunks(struct ctf_writer *writer) {
    ctf_open(writer, true, NULL);
    call(writer, 0, 100, "g", 1);
    ctf_packet(writer, 0, 3);
    begin(writer, 120, "f", 2);
    call(writer, 0, 130, "g", 1);
    ctf_rotate(writer, CHUNK_0, 5);
    call(writer, 0, 140, "g", 1);
    end(writer, 200, "f", 2);
    ctf_packet(writer, 0, 9);
    begin(writer, 210, "f", 2);
    ctf_rotate(writer, CHUNK_1, 9);
    unlink(ctf_path(writer, "metadata"));
}

static void chunks_are_one_trace(void **state) {
    struct ctf_writer writer;
    struct reading reading;

    (void)state;
    make_chunks(&writer);
    reading = read_path(writer.folder);
    assert_int_equal(reading.rc, 0);
    assert_int_equal(reading.result.warning_count, 0);
    assert_true(reading.ordered);
    assert_false(reading.result.later_chunk);
    assert_int_equal(reading.result.discarded_events, 9);
    assert_false(reading.result.unclear_discards);
    assert_int_equal(reading.model->unmatched_ends, 0);
    assert_int_equal(reading.model->open_at_end, 1);
    assert_int_equal(reading.model->functions[0].stats.calls, 3);
    assert_int_equal(reading.model->functions[1].stats.total_ns, 80);
    done(&reading);
    ctf_remove(&writer);
}

static void one_chunk_alone(void **state) {
    struct ctf_writer writer;
    struct reading reading;
    char path[160];

    (void)state;
    make_chunks(&writer);
    snprintf(path, sizeof(path), "%s/archives/" CHUNK_0, writer.folder);
    reading = read_path(path);
    assert_int_equal(reading.rc, 0);
    assert_int_equal(reading.result.warning_count, 0);
    assert_false(reading.result.later_chunk);
    assert_int_equal(reading.result.discarded_events, 5);
    assert_int_equal(reading.model->open_at_end, 1);
    assert_int_equal(reading.model->unmatched_ends, 0);
    done(&reading);
    snprintf(path, sizeof(path), "%s/archives/" CHUNK_1, writer.folder);
    reading = read_path(path);
    assert_int_equal(reading.rc, 0);
    assert_int_equal(reading.result.warning_count, 0);
    assert_true(reading.result.later_chunk);
    assert_int_equal(reading.result.discarded_events, 4);
    assert_false(reading.result.unclear_discards);
    assert_int_equal(reading.model->unmatched_ends, 1);
    assert_int_equal(reading.model->ends_of_nothing, 1);
    assert_int_equal(reading.model->open_at_end, 1);
    done(&reading);
    ctf_remove(&writer);
}

/* Without the chunk before it there is no telling what was discarded in which. */
static void a_chunk_without_the_others(void **state) {
    struct ctf_writer writer;
    struct reading reading;
    char chunk[160], alone[160];

    (void)state;
    make_chunks(&writer);
    snprintf(chunk, sizeof(chunk), "%s/archives/" CHUNK_1, writer.folder);
    snprintf(alone, sizeof(alone), "%s/alone", writer.folder);
    assert_int_equal(rename(chunk, alone), 0);
    reading = read_path(alone);
    assert_int_equal(reading.rc, 0);
    assert_true(reading.result.later_chunk);
    assert_int_equal(reading.result.discarded_events, 0);
    done(&reading);
    ctf_remove(&writer);
}

/* What a chunk refers to and does not define is taken from the chunks before it. */
static void names_from_earlier_chunks(void **state) {
    struct ctf_writer writer;
    struct reading reading;
    char from[160], to[160];
    const struct pinsight_process *process;

    (void)state;
    ctf_open(&writer, true, NULL);
    ctf_event(&writer, 1, 50, PINSIGHT_EVENT_CORE_PROCESS_INFO, INT64_C(100), INT64_C(1),
              INT64_C(-1), "h", "/bin/p", "p", "0");
    ctf_event(&writer, 1, 51, PINSIGHT_EVENT_CORE_PROCESS_INFO, INT64_C(101), INT64_C(1),
              INT64_C(-1), "h", "/bin/gone", "gone", "0");
    ctf_event(&writer, 1, 52, PINSIGHT_EVENT_CORE_THREAD_INFO, INT64_C(100), UINT64_C(7),
              INT64_C(2), "worker");
    ctf_event(&writer, 1, 53, PINSIGHT_EVENT_PYTHON_CODE_INFO, UINT64_C(9), UINT64_C(0xabc), "g",
              "b.py", INT64_C(4), "m");
    ctf_event(&writer, 1, 54, PINSIGHT_EVENT_CORE_MODE_CHANGE, INT64_C(100), "Python", UINT64_C(3),
              UINT64_C(2), "api");
    ctf_event(&writer, 0, 60, PINSIGHT_EVENT_PYTHON_BEGIN, UINT64_C(7), UINT64_C(4 * 9));
    ctf_event(&writer, 0, 70, PINSIGHT_EVENT_PYTHON_END, UINT64_C(7), UINT64_C(4 * 9));
    ctf_rotate(&writer, CHUNK_0, 0);
    ctf_event(&writer, 0, 160, PINSIGHT_EVENT_PYTHON_BEGIN, UINT64_C(7), UINT64_C(4 * 9));
    ctf_event(&writer, 0, 175, PINSIGHT_EVENT_PYTHON_END, UINT64_C(7), UINT64_C(4 * 9));
    ctf_rotate(&writer, CHUNK_1, 0);
    unlink(ctf_path(&writer, "metadata"));
    snprintf(from, sizeof(from), "%s/archives/" CHUNK_0 "/stream_1", writer.folder);
    snprintf(to, sizeof(to), "%s/archives/" CHUNK_0 "/definitions_1", writer.folder);
    assert_int_equal(rename(from, to), 0);
    snprintf(to, sizeof(to), "%s/archives/" CHUNK_1, writer.folder);
    reading = read_path(to);
    assert_int_equal(reading.rc, 0);
    assert_int_equal(reading.result.warning_count, 0);
    assert_true(reading.result.later_chunk);
    assert_int_equal(reading.result.events, 2);
    assert_int_equal(reading.model->function_count, 1);
    assert_true(reading.model->functions[0].known);
    assert_int_equal(reading.model->functions[0].stats.calls, 1);
    assert_int_equal(reading.model->history.change_count, 0);
    assert_int_equal(reading.model->first_ns, 160);
    process = pinsight_model_process(reading.model, 1, 100);
    assert_true(pinsight_process_is_there(process));
    assert_int_equal(process->thread_list[0]->number, 2);
    process = pinsight_model_process(reading.model, 1, 101);
    assert_true(process->has_info);
    assert_false(pinsight_process_is_there(process));
    done(&reading);
    ctf_remove(&writer);
}

/* Places in native code and call paths likewise. */
static void regions_of_a_later_chunk(void **state) {
    struct ctf_writer writer;
    struct reading reading;
    const struct pinsight_omp_region *region;
    char from[160], to[160];

    (void)state;
    ctf_open(&writer, true, NULL);
    ctf_event(&writer, 1, 50, PINSIGHT_EVENT_PYTHON_CODE_INFO, UINT64_C(9), UINT64_C(0xabc), "g",
              "b.py", INT64_C(4), "m");
    ctf_event(&writer, 1, 51, PINSIGHT_EVENT_PYTHON_PATH_INFO, UINT64_C(3), UINT64_C(0),
              UINT64_C(9), INT64_C(7));
    ctf_event(&writer, 1, 52, PINSIGHT_EVENT_OPENMP_REGION_INFO, INT64_C(100), UINT64_C(1),
              UINT64_C(0x5010), "/lib/a.so", UINT64_C(0x10), "f");
    ctf_event(&writer, 0, 60, PINSIGHT_EVENT_OPENMP_THREAD_BEGIN, UINT64_C(0), UINT64_C(1));
    ctf_rotate(&writer, CHUNK_0, 0);
    ctf_event(&writer, 0, 160, PINSIGHT_EVENT_OPENMP_PARALLEL_BEGIN, UINT64_C(0), UINT64_C(0),
              UINT64_C(0), UINT64_C(8), UINT64_C(1), UINT64_C(0x5010), UINT64_C(2), UINT64_C(0),
              UINT64_C(3));
    ctf_event(&writer, 0, 175, PINSIGHT_EVENT_OPENMP_PARALLEL_END, UINT64_C(0), UINT64_C(0),
              UINT64_C(0), UINT64_C(8), UINT64_C(1), UINT64_C(0x5010));
    ctf_rotate(&writer, CHUNK_1, 0);
    unlink(ctf_path(&writer, "metadata"));
    snprintf(from, sizeof(from), "%s/archives/" CHUNK_0 "/stream_1", writer.folder);
    snprintf(to, sizeof(to), "%s/archives/" CHUNK_0 "/definitions_1", writer.folder);
    assert_int_equal(rename(from, to), 0);
    snprintf(to, sizeof(to), "%s/archives/" CHUNK_1, writer.folder);
    reading = read_path(to);
    assert_int_equal(reading.rc, 0);
    assert_int_equal(reading.result.events, 2);
    assert_int_equal(pinsight_model_openmp(reading.model)->region_count, 1);
    region = &pinsight_model_openmp(reading.model)->regions[0];
    assert_int_equal(region->calls, 1);
    assert_int_equal(region->total_ns, 15);
    assert_true(reading.model->natives[region->native].known);
    assert_int_equal(reading.model->natives[region->native].offset, 0x10);
    assert_int_equal(reading.model->paths[region->path].line, 7);
    assert_true(reading.model->functions[reading.model->paths[region->path].function].known);
    done(&reading);
    ctf_remove(&writer);
}

static void where_chunks_belong(void **state) {
    struct ctf_writer writer;
    char path[160];
    char *whole;

    (void)state;
    make_chunks(&writer);
    assert_null(pinsight_chunks_whole(writer.folder));
    assert_null(pinsight_chunks_whole("/nowhere/" CHUNK_0));
    snprintf(path, sizeof(path), "%s/archives/" CHUNK_1 "/", writer.folder);
    whole = pinsight_chunks_whole(path);
    assert_string_equal(whole, writer.folder);
    free(whole);
    /* One that is still written to. */
    snprintf(path, sizeof(path), "%s/20261121T002910+0000-2", writer.folder);
    mkdir(path, 0700);
    whole = pinsight_chunks_whole(path);
    assert_string_equal(whole, writer.folder);
    free(whole);
    ctf_remove(&writer);
}

static void events_of_others(void **state) {
    struct ctf_writer writer;
    struct reading reading;

    (void)state;
    ctf_open(&writer, true, NULL);
    ctf_event(&writer, 0, 10, PINSIGHT_EVENT_UNKNOWN);
    ctf_close(&writer);
    reading = read_path(writer.folder);
    assert_int_equal(reading.rc, -1);
    assert_non_null(strstr(reading.result.error, "none of them is PInsight's"));
    done(&reading);
    ctf_remove(&writer);
}

static void assert_error(const char *path, const char *part) {
    struct reading reading = read_path(path);

    assert_int_equal(reading.rc, -1);
    assert_non_null(strstr(reading.result.error, part));
    done(&reading);
}

static void folders_that_are_no_trace(void **state) {
    char folder[] = "/tmp/pinsight-ctf-XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_error(folder, "is empty");
    assert_error("/nowhere/at/all", "there is no folder");
    assert_error("/proc/self/exe", "is a file");
    assert_error("/usr/include/babeltrace2", "is not a trace");
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_are_merged),
        cmocka_unit_test(definitions_come_first),
        cmocka_unit_test(contexts_may_be_missing),
        cmocka_unit_test(discards_are_exact),
        cmocka_unit_test(discards_do_not_run_back),
        cmocka_unit_test(streams_that_are_cut_off),
        cmocka_unit_test(metadata_that_is_cut_off),
        cmocka_unit_test(bytes_that_change),
        cmocka_unit_test(a_file_that_does_not_belong),
        cmocka_unit_test(events_of_others),
        cmocka_unit_test(folders_that_are_no_trace),
        cmocka_unit_test(a_trace_beside_one_that_is_broken),
        cmocka_unit_test(chunks_are_one_trace),
        cmocka_unit_test(one_chunk_alone),
        cmocka_unit_test(a_chunk_without_the_others),
        cmocka_unit_test(names_from_earlier_chunks),
        cmocka_unit_test(regions_of_a_later_chunk),
        cmocka_unit_test(where_chunks_belong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
