/* Buffers that are handed on from threads that ended: several packets in one, without a write. */
#include "recorded.h"

#include "format/copy.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FEW = 50, MANY = 600, KILLS = 25, COPIES = 8 };

static _Atomic uint64_t *counted; /* in memory that all processes of the test share */

static void *record(void *events) {
    for (uintptr_t i = 0; i < (uintptr_t)events; i++) {
        put_small((uint32_t)i);
        if (counted)
            ++*counted;
    }
    pinsight_recorder_file.thread_end();
    return NULL;
}

/* Threads one after the other, each with that many events. */
static void threads(unsigned count, uintptr_t events) {
    for (unsigned i = 0; i < count; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, record, (void *)events), 0);
        pthread_join(thread, NULL);
    }
}

static void a_few(void) {
    threads(FEW, 3);
    assert_int_equal(pinsight_pool_written(), 0);
    assert_int_equal(pinsight_pool_count(), 1);
}

static void many(void) {
    threads(MANY, 40);
    assert_true(pinsight_pool_written() > 0);
    assert_int_equal(pinsight_pool_count(), 1);
}

static void nothing_is_written_for_it(void **state) {
    static struct found before, after;
    (void)state;
    read_around(a_few, &before, &after);
    assert_int_equal(after.small - before.small, 3 * FEW);
    assert_int_equal(after.packets - before.packets, FEW);
    assert_int_equal(after.tid_count - before.tid_count, FEW);
}

static void a_buffer_that_is_full_of_packets_is_written(void **state) {
    static struct found before, after;
    (void)state;
    read_around(many, &before, &after);
    assert_int_equal(after.small - before.small, 40 * MANY);
    assert_in_range(after.packets - before.packets, MANY, MANY + MANY / 10);
}

/* One event may have been recorded and not been counted. */
static void a_kill_at_any_instant_loses_nothing(void **state) {
    static struct found before, after;
    struct pinsight_file_finished finished;
    (void)state;
    for (int i = 0; i < KILLS; i++) {
        read_all(&before);
        *counted = 0;
        pid_t child = fork();
        if (!child)
            for (;;)
                threads(1, 1 + (uintptr_t)i % 5);
        while (!*counted)
            usleep(10);
        usleep((useconds_t)(i * 997 % 4000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        assert_int_equal(pinsight_file_folder_finish(output, &finished), 0);
        assert_int_equal(finished.error, 0);
        read_all(&after);
        assert_in_range(after.small - before.small, *counted, *counted + 1);
    }
}

/* ---- what cannot be written ---- */

/* The frequent event with these fields. */
static uint8_t frequent_of(const char *shape) {
    uint8_t number = 0;
    while (strcmp(pinsight_file_shapes[number], shape) != 0)
        number++;
    assert_in_range(number, 0, PINSIGHT_EXTENDED - 1);
    return number;
}

static void *record_whole(void *unused) {
    const uint8_t frequent = frequent_of("444888");
    const struct pinsight_event_number known = {frequent, frequent, 0, 0};
    static const uint8_t fields[36]; /* as its description has them */
    struct pinsight_event_place place;
    (void)unused;
    assert_true(pinsight_stream_reserve(&known, sizeof fields, &place));
    pinsight_stream_commit(&place, PINSIGHT_STORE(place.at, fields));
    pinsight_recorder_file.thread_end();
    return NULL;
}

static void where_it_cannot_be_written(void) {
    char path[PATH_MAX];
    const struct pinsight_control *control = pinsight_recording.control;
    uint64_t before = control->lost_events;
    pinsight_recording.resident_ticks = UINT64_MAX / 2; /* at most one reading of the memory */
    for (int i = 0; i < FEW; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, record_whole, NULL), 0);
        pthread_join(thread, NULL);
    }
    put_small(1);
    assert_true(pinsight_buffer_path(pinsight_record_stream->head, "", 0, path));
    assert_int_equal(mkdir(path, 0700), 0);
    pinsight_recorder_file.flush();
    /* With the clock of each thread, the trace's, and the memory. */
    assert_in_range(control->lost_events - before, 2 * FEW + 2, 2 * FEW + 4);
    assert_int_equal(rmdir(path), 0);
    put_small(2);
}

static void what_cannot_be_written_is_counted(void **state) {
    static struct found before, after;
    (void)state;
    read_around(where_it_cannot_be_written, &before, &after);
    assert_int_equal(after.small - before.small, 1);
}

/* ---- copies ---- */

static void record_on(void) {
    *counted = 0;
    for (int i = 0; *counted < 1000000; i++)
        threads(1, 1 + (uintptr_t)i % 300);
}

/* Each is what came since the one before; together they are the whole. */
static void copies_follow_each_other(void **state) {
    static struct found before, after, part;
    struct pinsight_copying copying = {.may_link = false};
    struct pinsight_file_finished finished;
    char whole[PATH_MAX];
    uint64_t copied = 0;
    (void)state;
    strcpy(whole, folder);
    strcpy(copying.folder, folder);
    read_all(&before);
    *counted = 0;
    pid_t child = fork();
    if (!child) {
        record_on();
        _exit(0);
    }
    while (*counted < 100)
        usleep(100);
    for (int i = 0; i <= COPIES; i++) {
        if (i == COPIES) {
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
        }
        snprintf(copying.to, sizeof copying.to, "%.80s/copy-%d", output, i);
        assert_int_equal(mkdir(copying.to, 0700), 0);
        assert_int_equal(pinsight_copy_all(&copying), 0);
        strcpy(folder, copying.to);
        read_all(&part);
        strcpy(folder, whole);
        copied += part.small;
        usleep(700);
    }
    free(copying.ends);
    assert_int_equal(pinsight_file_folder_finish(output, &finished), 0);
    read_all(&after);
    assert_int_equal(copied, after.small);
    assert_in_range(after.small - before.small, *counted, *counted + 1);
}

static int set_up_with_counts(void **state) {
    counted =
        mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return counted == MAP_FAILED ? -1 : set_up(state);
}

int main(void) {
    return RUN_TESTS_GROUP(set_up_with_counts, take_down, nothing_is_written_for_it,
                           a_buffer_that_is_full_of_packets_is_written,
                           a_kill_at_any_instant_loses_nothing, what_cannot_be_written_is_counted,
                           copies_follow_each_other);
}
