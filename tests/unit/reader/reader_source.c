/* Whole traces and damaged ones, read from disk. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "base/memory.h"
#include "ctf_writer.h"
#include "made_model.h"
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

    reading.model = made_model();
    reading.rc = trace_read(path, reading.model, &observers, &reading.result);
    assert_true((reading.rc == 0) == (reading.result.error == NULL));
    return reading;
}

static void done(struct reading *reading) {
    pinsight_model_free(reading->model);
    pinsight_source_result_clear(&reading->result);
}

struct fixture {
    struct ctf_writer writer;
    struct reading reading;
};

static int setup(void **state) {
    *state = pinsight_calloc(1, sizeof(struct fixture));
    return 0;
}

static void forget_reading(struct fixture *f) {
    if (f->reading.model)
        done(&f->reading);
    f->reading.model = NULL;
}

static void remove_trace(struct fixture *f) {
    forget_reading(f);
    if (f->writer.folder[0])
        ctf_remove(&f->writer);
    f->writer.folder[0] = '\0';
}

static int teardown(void **state) {
    remove_trace(*state);
    free(*state);
    return 0;
}

static void try_trace(struct fixture *f, const char *path) {
    forget_reading(f);
    f->reading = read_path(path);
}

static void read_trace(struct fixture *f, const char *path) {
    try_trace(f, path);
    assert_int_equal(f->reading.rc, 0);
}

static void call(struct ctf_writer *writer, int stream, uint64_t ns, const char *name,
                 uint64_t code) {
    ctf_event(writer, stream, ns, PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN, name, "a.py", INT64_C(3),
              code, INT64_C(0), UINT64_C(0));
    ctf_event(writer, stream, ns + 5, PINSIGHT_EVENT_PYTHON_FUNCTION_END, name, "a.py", INT64_C(3),
              code, INT64_C(0), UINT64_C(0));
}

static void streams_are_merged(void **state) {
    struct fixture *f = *state;

    ctf_open(&f->writer, true, NULL);
    for (uint64_t i = 0; i < 12; i++)
        call(&f->writer, (int)(i * 7 % 3), 100 + i * 10, "f", 1);
    ctf_close(&f->writer);
    read_trace(f, f->writer.folder);
    assert_true(f->reading.ordered);
    assert_int_equal(f->reading.result.known_events, 24);
    assert_int_equal(f->reading.model->function_count, 1);
    assert_int_equal(f->reading.model->functions[0].stats.calls, 12);
    assert_int_equal(f->reading.model->functions[0].stats.total_ns, 60);
    assert_int_equal(f->reading.model->processes[0]->pid, 100);
    assert_int_equal(f->reading.model->unmatched_ends, 0);
}

static void definitions_come_first(void **state) {
    struct fixture *f = *state;

    ctf_open(&f->writer, true, NULL);
    ctf_event(&f->writer, 0, 50, PINSIGHT_EVENT_PYTHON_BEGIN, UINT64_C(7), UINT64_C(4 * 9));
    ctf_event(&f->writer, 0, 60, PINSIGHT_EVENT_PYTHON_END, UINT64_C(7), UINT64_C(4 * 9));
    ctf_event(&f->writer, 1, 50, PINSIGHT_EVENT_CORE_THREAD_INFO, INT64_C(100), UINT64_C(7),
              INT64_C(2), "worker");
    ctf_event(&f->writer, 1, 50, PINSIGHT_EVENT_PYTHON_CODE_INFO, UINT64_C(9), UINT64_C(0xabc), "g",
              "b.py", INT64_C(4), "m");
    ctf_close(&f->writer);
    read_trace(f, f->writer.folder);
    assert_int_equal(f->reading.model->function_count, 1);
    assert_true(f->reading.model->functions[0].known);
    assert_int_equal(f->reading.model->process_count, 1);
    assert_int_equal(f->reading.model->processes[0]->thread_list[0]->number, 2);
}

static void contexts_may_be_missing(void **state) {
    struct fixture *f = *state;

    ctf_open(&f->writer, false, NULL);
    ctf_event(&f->writer, 0, 10, PINSIGHT_EVENT_CORE_PROCESS_INFO, INT64_C(55), INT64_C(1),
              INT64_C(-1), "h", "/bin/p", "p", "0", UINT64_C(0), UINT64_C(0));
    call(&f->writer, 0, 20, "f", 1);
    ctf_close(&f->writer);
    read_trace(f, f->writer.folder);
    assert_int_equal(f->reading.model->process_count, 1);
    assert_int_equal(f->reading.model->processes[0]->pid, 55);
    assert_int_equal(f->reading.model->processes[0]->events, 2);
}

/* A second stream has discarded nothing: all that was discarded is the first one's. */
static void read_discards(struct fixture *f, uint64_t count) {
    call(&f->writer, 1, 30, "f", 1);
    ctf_packet(&f->writer, 1, 0);
    read_trace(f, f->writer.folder);
    assert_int_equal(f->reading.result.discarded_events, count);
    assert_false(f->reading.result.unclear_discards);
}

static void discards_are_exact(void **state) {
    struct fixture *f = *state;

    ctf_open(&f->writer, true, NULL);
    call(&f->writer, 0, 10, "f", 1);
    ctf_packet(&f->writer, 0, 5);
    call(&f->writer, 0, 20, "f", 1);
    ctf_packet(&f->writer, 0, 5);
    call(&f->writer, 0, 30, "f", 1);
    ctf_packet(&f->writer, 0, 12);
    read_discards(f, 12);
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

/* As LTTng 2.13 has it at times, where threads that record are taken off their processors. */
static void discards_do_not_run_back(void **state) {
    struct fixture *f = *state;
    static const uint64_t counts[] = {5, 9, 0, 12, 12, 0};

    ctf_open(&f->writer, true, NULL);
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        call(&f->writer, 0, 10 * (i + 1), "f", 1);
        ctf_packet(&f->writer, 0, counts[i]);
    }
    read_discards(f, 12);
}

/* However much of a stream is there, what is there is read, and the other streams are. */
static void streams_that_are_cut_off(void **state) {
    struct fixture *f = *state;
    uint64_t before = 0;

    for (off_t size = 0; size <= 3 * CTF_PACKET_SIZE; size += 607) {

        make_three_packets(&f->writer);
        assert_int_equal(truncate(ctf_path(&f->writer, "stream_0"), size), 0);
        read_trace(f, f->writer.folder);
        assert_true(f->reading.ordered);
        assert_true(f->reading.result.events >= 2);
        assert_true(f->reading.result.events >= before);
        before = f->reading.result.events;
        if (size > 0 && size % CTF_PACKET_SIZE != 0)
            assert_true(f->reading.result.warning_count == 1);
        remove_trace(f);
    }
    assert_int_equal(before, 2 + 60);
}

/* Only one stream is left, whichever it is: the starts of the others are damaged. */
static void one_stream_of_several(void **state) {
    struct fixture *f = *state;

    for (int good = 0; good < CTF_STREAMS; good++) {
        ctf_open(&f->writer, true, NULL);
        for (int i = 0; i < CTF_STREAMS; i++)
            for (int j = 0; j <= i; j++)
                call(&f->writer, i, 10 * (uint64_t)(j + 1), "f", 1);
        ctf_close(&f->writer);
        for (int i = 0; i < CTF_STREAMS; i++) {
            char name[16];

            snprintf(name, sizeof(name), "stream_%d", i);
            int fd = open(ctf_path(&f->writer, name), O_WRONLY);
            if (i != good)
                assert_int_equal(pwrite(fd, "no packet here", 14, 0), 14);
            close(fd);
        }
        read_trace(f, f->writer.folder);
        assert_int_equal(f->reading.result.events, 2 * (good + 1));
        assert_int_equal(f->reading.result.damaged_streams, CTF_STREAMS - 1);
        remove_trace(f);
    }
}

static void metadata_that_is_cut_off(void **state) {
    struct fixture *f = *state;
    struct stat st;

    make_three_packets(&f->writer);
    assert_int_equal(stat(ctf_path(&f->writer, "metadata"), &st), 0);
    for (off_t size = st.st_size - 1; size > 0; size -= 1601) {
        assert_int_equal(truncate(ctf_path(&f->writer, "metadata"), size), 0);
        try_trace(f, f->writer.folder);
        assert_true(f->reading.rc == 0 || strstr(f->reading.result.error, "metadata"));
    }
    assert_int_equal(truncate(ctf_path(&f->writer, "metadata"), 0), 0);
    try_trace(f, f->writer.folder);
    assert_int_equal(f->reading.rc, -1);
    assert_non_null(strstr(f->reading.result.error, "metadata"));
    unlink(ctf_path(&f->writer, "metadata"));
    try_trace(f, f->writer.folder);
    assert_int_equal(f->reading.rc, -1);
    assert_non_null(strstr(f->reading.result.error, "no metadata"));
}

/* Bytes that change anywhere in the streams end in a report or in an error, never in a crash. */
static void bytes_that_change(void **state) {
    struct fixture *f = *state;
    srand(7);
    for (int round = 0; round < 50; round++) {
        unsigned char noise[16];
        int fd;

        make_three_packets(&f->writer);
        fd = open(ctf_path(&f->writer, "stream_0"), O_WRONLY);
        for (size_t i = 0; i < sizeof(noise); i++)
            noise[i] = (unsigned char)rand();
        assert_true(pwrite(fd, noise, (size_t)(1 + rand() % 16), rand() % (3 * CTF_PACKET_SIZE)) >
                    0);
        close(fd);
        try_trace(f, f->writer.folder);
        remove_trace(f);
    }
}

static void a_file_that_does_not_belong(void **state) {
    struct fixture *f = *state;
    FILE *file;

    make_three_packets(&f->writer);
    file = fopen(ctf_path(&f->writer, "readme.txt"), "w");
    fputs("hello\n", file);
    fclose(file);
    read_trace(f, f->writer.folder);
    assert_int_equal(f->reading.result.events, 62);
    assert_int_equal(f->reading.result.warning_count, 1);
    assert_int_equal(f->reading.result.damaged_streams, 0);
}

/* Beside a trace lies a folder that has metadata and nothing else of use, before or behind it. */
static void a_trace_beside_one_that_is_broken(void **state) {
    struct fixture *f = *state;
    static const char metadata[] = "/* CTF 1.8 */\ntrace { nonsense };\n";

    for (int behind = 0; behind < 2; behind++) {
        char parent[] = "/tmp/pinsight-ctf-XXXXXX", good[64], broken[64], file[80];
        int fd;

        assert_non_null(mkdtemp(parent));
        snprintf(good, sizeof(good), "%s/good", parent);
        snprintf(broken, sizeof(broken), "%s/%s", parent, behind ? "later" : "first");
        snprintf(file, sizeof(file), "%s/metadata", broken);
        assert_int_equal(mkdir(broken, 0700), 0);
        fd = open(file, O_WRONLY | O_CREAT, 0600);
        assert_int_equal(write(fd, metadata, sizeof(metadata) - 1), sizeof(metadata) - 1);
        close(fd);
        make_three_packets(&f->writer);
        assert_int_equal(rename(f->writer.folder, good), 0);
        read_trace(f, parent);
        assert_int_equal(f->reading.result.events, 62);
        assert_true(f->reading.result.warning_count > 0);
        snprintf(f->writer.folder, sizeof(f->writer.folder), "%s", good);
        remove_trace(f);
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

/* The path of a chunk, in a static buffer. */
static const char *chunk(const struct fixture *f, const char *name) {
    static char path[160];

    snprintf(path, sizeof(path), "%s/archives/%s", f->writer.folder, name);
    return path;
}

/* Reads the second chunk alone, when the first one has its stream of definitions as LTTng names it.
 */
static void read_later_chunk(struct fixture *f) {
    char stream[160];

    unlink(ctf_path(&f->writer, "metadata"));
    snprintf(stream, sizeof(stream), "%s", chunk(f, CHUNK_0 "/stream_1"));
    assert_int_equal(rename(stream, chunk(f, CHUNK_0 "/definitions_1")), 0);
    read_trace(f, chunk(f, CHUNK_1));
    assert_int_equal(f->reading.result.events, 2);
}

static void chunks_are_one_trace(void **state) {
    struct fixture *f = *state;

    make_chunks(&f->writer);
    read_trace(f, f->writer.folder);
    assert_int_equal(f->reading.result.warning_count, 0);
    assert_true(f->reading.ordered);
    assert_false(f->reading.result.later_chunk);
    assert_int_equal(f->reading.result.discarded_events, 9);
    assert_false(f->reading.result.unclear_discards);
    assert_int_equal(f->reading.model->unmatched_ends, 0);
    assert_int_equal(f->reading.model->open_at_end, 1);
    assert_int_equal(f->reading.model->functions[0].stats.calls, 3);
    assert_int_equal(f->reading.model->functions[1].stats.total_ns, 80);
}

static void one_chunk_alone(void **state) {
    struct fixture *f = *state;

    make_chunks(&f->writer);
    read_trace(f, chunk(f, CHUNK_0));
    assert_int_equal(f->reading.result.warning_count, 0);
    assert_false(f->reading.result.later_chunk);
    assert_int_equal(f->reading.result.discarded_events, 5);
    assert_int_equal(f->reading.model->open_at_end, 1);
    assert_int_equal(f->reading.model->unmatched_ends, 0);
    read_trace(f, chunk(f, CHUNK_1));
    assert_int_equal(f->reading.result.warning_count, 0);
    assert_true(f->reading.result.later_chunk);
    assert_int_equal(f->reading.result.discarded_events, 4);
    assert_false(f->reading.result.unclear_discards);
    assert_int_equal(f->reading.model->unmatched_ends, 1);
    assert_int_equal(f->reading.model->ends_of_nothing, 1);
    assert_int_equal(f->reading.model->open_at_end, 1);
}

/* Without the chunk before it there is no telling what was discarded in which. */
static void a_chunk_without_the_others(void **state) {
    struct fixture *f = *state;
    char alone[160];

    make_chunks(&f->writer);
    snprintf(alone, sizeof(alone), "%s/alone", f->writer.folder);
    assert_int_equal(rename(chunk(f, CHUNK_1), alone), 0);
    read_trace(f, alone);
    assert_true(f->reading.result.later_chunk);
    assert_int_equal(f->reading.result.discarded_events, 0);
}

/* What a chunk refers to and does not define is taken from the chunks before it. */
static void names_from_earlier_chunks(void **state) {
    struct fixture *f = *state;
    const struct pinsight_process *process;

    ctf_open(&f->writer, true, NULL);
    ctf_event(&f->writer, 1, 50, PINSIGHT_EVENT_CORE_PROCESS_INFO, INT64_C(100), INT64_C(1),
              INT64_C(-1), "h", "/bin/p", "p", "0", UINT64_C(0), UINT64_C(0));
    ctf_event(&f->writer, 1, 51, PINSIGHT_EVENT_CORE_PROCESS_INFO, INT64_C(101), INT64_C(1),
              INT64_C(-1), "h", "/bin/gone", "gone", "0", UINT64_C(0), UINT64_C(0));
    ctf_event(&f->writer, 1, 52, PINSIGHT_EVENT_CORE_THREAD_INFO, INT64_C(100), UINT64_C(7),
              INT64_C(2), "worker");
    ctf_event(&f->writer, 1, 53, PINSIGHT_EVENT_PYTHON_CODE_INFO, UINT64_C(9), UINT64_C(0xabc), "g",
              "b.py", INT64_C(4), "m");
    ctf_event(&f->writer, 1, 54, PINSIGHT_EVENT_CORE_MODE_CHANGE, INT64_C(100), "Python",
              UINT64_C(3), UINT64_C(2), "api");
    ctf_event(&f->writer, 0, 60, PINSIGHT_EVENT_PYTHON_BEGIN, UINT64_C(7), UINT64_C(4 * 9));
    ctf_event(&f->writer, 0, 70, PINSIGHT_EVENT_PYTHON_END, UINT64_C(7), UINT64_C(4 * 9));
    ctf_rotate(&f->writer, CHUNK_0, 0);
    ctf_event(&f->writer, 0, 160, PINSIGHT_EVENT_PYTHON_BEGIN, UINT64_C(7), UINT64_C(4 * 9));
    ctf_event(&f->writer, 0, 175, PINSIGHT_EVENT_PYTHON_END, UINT64_C(7), UINT64_C(4 * 9));
    ctf_rotate(&f->writer, CHUNK_1, 0);
    read_later_chunk(f);
    assert_int_equal(f->reading.result.warning_count, 0);
    assert_true(f->reading.result.later_chunk);
    assert_int_equal(f->reading.model->function_count, 1);
    assert_true(f->reading.model->functions[0].known);
    assert_int_equal(f->reading.model->functions[0].stats.calls, 1);
    assert_int_equal(f->reading.model->history.change_count, 0);
    assert_int_equal(f->reading.model->first_ns, 160);
    process = pinsight_model_process(f->reading.model, 1, 100);
    assert_true(pinsight_process_is_there(process));
    assert_int_equal(process->thread_list[0]->number, 2);
    process = pinsight_model_process(f->reading.model, 1, 101);
    assert_true(process->has_info);
    assert_false(pinsight_process_is_there(process));
}

/* Places in native code and call paths likewise. */
static void regions_of_a_later_chunk(void **state) {
    struct fixture *f = *state;
    const struct pinsight_omp_region *region;

    ctf_open(&f->writer, true, NULL);
    ctf_event(&f->writer, 1, 50, PINSIGHT_EVENT_PYTHON_CODE_INFO, UINT64_C(9), UINT64_C(0xabc), "g",
              "b.py", INT64_C(4), "m");
    ctf_event(&f->writer, 1, 51, PINSIGHT_EVENT_PYTHON_PATH_INFO, UINT64_C(3), UINT64_C(0),
              UINT64_C(9), INT64_C(7));
    ctf_event(&f->writer, 1, 52, PINSIGHT_EVENT_OPENMP_REGION_INFO, INT64_C(100), UINT64_C(1),
              UINT64_C(0x5010), "/lib/a.so", UINT64_C(0x10), "f");
    ctf_event(&f->writer, 0, 60, PINSIGHT_EVENT_OPENMP_THREAD_BEGIN, UINT64_C(0), UINT64_C(1));
    ctf_rotate(&f->writer, CHUNK_0, 0);
    ctf_event(&f->writer, 0, 160, PINSIGHT_EVENT_OPENMP_PARALLEL_BEGIN, UINT64_C(0), UINT64_C(0),
              UINT64_C(0), UINT64_C(8), UINT64_C(1), UINT64_C(0x5010), UINT64_C(2), UINT64_C(0),
              UINT64_C(3));
    ctf_event(&f->writer, 0, 175, PINSIGHT_EVENT_OPENMP_PARALLEL_END, UINT64_C(0), UINT64_C(0),
              UINT64_C(0), UINT64_C(8), UINT64_C(1), UINT64_C(0x5010));
    ctf_rotate(&f->writer, CHUNK_1, 0);
    read_later_chunk(f);
    assert_int_equal(pinsight_model_openmp(f->reading.model)->region_count, 1);
    region = &pinsight_model_openmp(f->reading.model)->regions[0];
    assert_int_equal(region->calls, 1);
    assert_int_equal(region->total_ns, 15);
    assert_true(f->reading.model->natives[region->native].known);
    assert_int_equal(f->reading.model->natives[region->native].offset, 0x10);
    assert_int_equal(f->reading.model->paths[region->path].line, 7);
    assert_true(f->reading.model->functions[f->reading.model->paths[region->path].function].known);
}

static void where_chunks_belong(void **state) {
    struct fixture *f = *state;
    char path[160];
    char *whole;

    make_chunks(&f->writer);
    assert_null(pinsight_chunks_whole(f->writer.folder));
    assert_null(pinsight_chunks_whole("/nowhere/" CHUNK_0));
    whole = pinsight_chunks_whole(chunk(f, CHUNK_1 "/"));
    assert_string_equal(whole, f->writer.folder);
    free(whole);
    /* One that is still written to. */
    snprintf(path, sizeof(path), "%s/20261121T002910+0000-2", f->writer.folder);
    mkdir(path, 0700);
    whole = pinsight_chunks_whole(path);
    assert_string_equal(whole, f->writer.folder);
    free(whole);
}

static void events_of_others(void **state) {
    struct fixture *f = *state;

    ctf_open(&f->writer, true, NULL);
    ctf_event(&f->writer, 0, 10, PINSIGHT_EVENT_UNKNOWN);
    ctf_close(&f->writer);
    try_trace(f, f->writer.folder);
    assert_int_equal(f->reading.rc, -1);
    assert_non_null(strstr(f->reading.result.error, "holds no event of PInsight's"));
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
    return RUN_TESTS_EACH(setup, teardown, streams_are_merged, definitions_come_first,
                          contexts_may_be_missing, discards_are_exact, discards_do_not_run_back,
                          streams_that_are_cut_off, one_stream_of_several, metadata_that_is_cut_off,
                          bytes_that_change, a_file_that_does_not_belong, events_of_others,
                          folders_that_are_no_trace, a_trace_beside_one_that_is_broken,
                          chunks_are_one_trace, one_chunk_alone, a_chunk_without_the_others,
                          names_from_earlier_chunks, regions_of_a_later_chunk, where_chunks_belong);
}
