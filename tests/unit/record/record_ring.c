/* The flight recorder without a domain: what is kept of threads' events, and what is not. */
#include "recorded.h"
#include "threads.h"

#include "format/ring_head.h"
#include "format/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT = 256 << 10, PART = 64 << 10, MANY = 400000, SMALL_BYTES = 8, THREADS = 3 };

/* Bytes of events that a full ring keeps at least: the oldest file may have two parts, and each
 * part has a header. */
enum { LEAST_KEPT = LIMIT - 2 * PART - 1024 };

static const struct pinsight_event_number kept = {WIDE + 1, PINSIGHT_NOT_FREQUENT, 0, 1};

/* An event that a ring keeps. */
static void put_kept(uint32_t number) {
    struct pinsight_event_place place;
    assert_true(pinsight_stream_reserve(&kept, sizeof number, &place));
    pinsight_stream_commit(&place, PINSIGHT_STORE(place.at, number));
}

/* The only ring head in the folder of a process, or of all if `pid` is 0. */
static struct pinsight_ring_head head_of(pid_t pid) {
    struct pinsight_ring_head found = {0};
    unsigned count = 0;
    DIR *list = opendir(folder);
    int at = open(folder, O_RDONLY | O_DIRECTORY);
    assert_true(list && at >= 0);
    for (struct dirent *entry; (entry = readdir(list));)
        if (strstr(entry->d_name, "-ring")) {
            struct pinsight_ring_head *head = pinsight_ring_head_map(at, entry->d_name, false);
            assert_non_null(head);
            if (!pid || head->pid == pid) {
                found = *head;
                count++;
            }
            pinsight_ring_head_unmap(head);
        }
    closedir(list);
    close(at);
    assert_int_equal(count, 1);
    return found;
}

static uint64_t bytes_of_all(void) {
    uint64_t bytes = 0;
    struct stat status;
    DIR *list = opendir(folder);
    int at = open(folder, O_RDONLY | O_DIRECTORY);
    for (struct dirent *entry; (entry = readdir(list));)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0 &&
            fstatat(at, entry->d_name, &status, 0) == 0)
            bytes += (uint64_t)status.st_size;
    closedir(list);
    close(at);
    return bytes;
}

static void clear_folder(void) {
    char command[PATH_MAX + 64];
    snprintf(command, sizeof command, "cd %s && rm -f [0-9]* .[0-9]*", folder);
    assert_int_equal(system(command), 0);
}

static void by_one(void) {
    put_kept(1);
    for (uint32_t i = 0; i < MANY; i++)
        put_small(i);
    put_kept(2);
}

static void the_last_part_is_kept(void **state) {
    static struct found found;
    (void)state;
    read_after(by_one, &found);
    uint64_t count = found.small - 2, last = MANY - 1;
    /* All of them are the last ones. */
    assert_int_equal(found.sums[0], count * (2 * last - (count - 1)) / 2 + 1 + 2);
    assert_in_range(count * SMALL_BYTES, LEAST_KEPT, LIMIT + PART);
    assert_true(bytes_of_all() < LIMIT + PART);
    struct pinsight_ring_head head = head_of(0);
    assert_true(head.dropped_until && head.dropped_until < head.last && head.until == 0);
    assert_int_equal(head.bytes, LIMIT);
    assert_true(head.dropped_bytes >= (MANY - count) * SMALL_BYTES);
    clear_folder();
}

static void *record(void *unused) {
    (void)unused;
    put_kept(0);
    for (uint32_t i = 0; i < MANY; i++)
        put_small(i);
    pinsight_recorder_file.thread_end();
    return NULL;
}

static void by_threads(void) {
    threads_run(THREADS, record, NULL, 0);
}

static void threads_share_the_limit(void **state) {
    static struct found found;
    (void)state;
    read_after(by_threads, &found);
    /* The last file of each may stay, whatever the others do. */
    assert_true(bytes_of_all() < LIMIT + (THREADS + 1) * PART);
    assert_true(found.tid_count == THREADS);
    clear_folder();
}

/* One after the other: each goes on in the buffer of the one before. */
static void *record_little(void *number) {
    put_kept(1);
    for (uint32_t i = 0; i < 10; i++)
        put_small(1000 * (uint32_t)(uintptr_t)number);
    pinsight_recorder_file.thread_end();
    return NULL;
}

static void one_after_the_other(void) {
    for (uintptr_t i = 1; i <= THREADS; i++)
        threads_run(1, record_little, (void *)i, 0);
}

static void a_buffer_that_is_handed_on_has_the_next_threads_events(void **state) {
    static struct found found;
    uint64_t seen = 0;
    (void)state;
    read_after(one_after_the_other, &found);
    assert_int_equal(found.tid_count, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t number = (found.sums[i] - 1) / 10000;
        assert_int_equal(found.sums[i], 10000 * number + 1);
        seen |= UINT64_C(1) << number;
    }
    assert_int_equal(seen, ((1u << THREADS) - 1) << 1);
    clear_folder();
}

/* Events of a child, which fit its own ring. */
enum { CHILDS = 3 * PART / SMALL_BYTES };

static void by_children(void) {
    for (uint32_t i = 0; i < MANY; i++)
        put_small(i);
    uint64_t dropped = head_of(getpid()).dropped_bytes;
    pid_t child = fork();
    if (!child) {
        for (uint32_t i = 0; i < CHILDS; i++)
            put_small(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    if (head_of(getpid()).dropped_bytes != dropped || head_of(child).dropped_bytes)
        abort();
}

static void a_forked_child_drops_nothing_of_its_parent(void **state) {
    static struct found found;
    (void)state;
    in_child(by_children);
    read_all(&found);
    assert_in_range((found.small - CHILDS) * SMALL_BYTES, LEAST_KEPT, LIMIT + PART);
    clear_folder();
}

/* Where a thread's file may be closed, somebody says what is open after it. */
static void renewing(void) {
    unsigned renewed = 0;
    put_small(0);
    assert_false(pinsight_recorder_file.renew());
    for (uint32_t i = 0; i < MANY; i++) {
        put_small(i);
        if (i % 100 == 0)
            renewed += pinsight_recorder_file.renew();
    }
    assert_in_range(renewed, MANY * SMALL_BYTES / PART * 9 / 10, MANY * SMALL_BYTES / PART + 1);
}

static void a_thread_is_asked_what_is_open(void **state) {
    (void)state;
    in_child(renewing);
    clear_folder();
}

static void *look(void *stop) {
    while (!__atomic_load_n((bool *)stop, __ATOMIC_ACQUIRE)) {
        DIR *list = opendir(folder);
        for (struct dirent *entry; (entry = readdir(list));) {
            struct pinsight_snapshot snapshot;
            char path[PATH_MAX + 256];
            struct stat status;
            if (!pinsight_buffer_is_name(entry->d_name))
                continue;
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name + 1);
            if (pinsight_snapshot_take(&snapshot, path) != 0)
                continue;
            /* It goes on with its own file, of which all is there, unless it was dropped. */
            if (snapshot.packets && stat(path, &status) == 0)
                assert_true((uint64_t)status.st_size >= snapshot.base);
            pinsight_snapshot_clear(&snapshot);
        }
        closedir(list);
    }
    return NULL;
}

static void while_others_look(void **state) {
    pthread_t looker;
    bool stop = false;
    (void)state;
    pthread_create(&looker, NULL, look, &stop);
    for (int i = 0; i < 5; i++)
        in_child(by_one);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    pthread_join(looker, NULL);
    clear_folder();
}

static void limits_are_read(void **state) {
    static const struct {
        const char *text;
        struct pinsight_ring_limit limit;
    } good[] = {
        {"256K", {256 << 10, 0}},
        {"64M", {64 << 20, 0}},
        {"1GiB", {1 << 30, 0}},
        {"300000", {300000, 0}},
        {"1s", {0, 1000000000}},
        {"30S", {0, UINT64_C(30) * 1000000000}},
        {"5min", {0, UINT64_C(300) * 1000000000}},
        {"2h", {0, UINT64_C(7200) * 1000000000}},
    };
    static const char *const bad[] = {"",
                                      "s",
                                      "0s",
                                      "0",
                                      "255K",
                                      "-1s",
                                      "1 s",
                                      "30x",
                                      "1d",
                                      "1e3s",
                                      "99999999999999999999s",
                                      "99999999999h"};
    struct pinsight_ring_limit limit;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(pinsight_ring_limit_parse(good[i].text, &limit));
        assert_int_equal(limit.bytes, good[i].limit.bytes);
        assert_int_equal(limit.ns, good[i].limit.ns);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(pinsight_ring_limit_parse(bad[i], &limit));
}

int main(void) {
    setenv(PINSIGHT_RING_VARIABLE, "256K", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_part_is_kept),
        cmocka_unit_test(threads_share_the_limit),
        cmocka_unit_test(a_buffer_that_is_handed_on_has_the_next_threads_events),
        cmocka_unit_test(a_forked_child_drops_nothing_of_its_parent),
        cmocka_unit_test(a_thread_is_asked_what_is_open),
        cmocka_unit_test(while_others_look),
        cmocka_unit_test(limits_are_read),
    };
    return cmocka_run_group_tests(tests, set_up, take_down);
}
