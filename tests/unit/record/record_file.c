/* The file recorder without a domain: what threads store is in the files, in order and whole. */
#include "recorded.h"
#include "threads.h"

#include "format/folder.h"
#include "tracer/record/counted.h"
#include "tracer/record/file/file_worker.h"
#include "tracer/record/file/recording.h"
#include "tracer/record/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, EACH = 30000 };

static void *record(void *first) {
    for (uint32_t i = 0; i < EACH; i++) {
        put_small((uint32_t)(uintptr_t)first + i);
        if (i % 1000 == 0)
            assert_true(put_text("a name of something"));
    }
    pinsight_recorder_file.thread_end();
    return NULL;
}

static void by_threads(void) {
    threads_run(THREADS, record, NULL, 1000000);
}

static void threads_lose_nothing(void **state) {
    static struct found found;
    (void)state;
    read_after(by_threads, &found);
    assert_int_equal(found.small, THREADS * EACH);
    assert_int_equal(found.wide, THREADS * EACH / 1000);
    assert_int_equal(found.tid_count, THREADS);
    uint64_t sum = 0, whole = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        sum += found.sums[i];
        for (uint32_t j = 0; j < EACH; j++)
            whole += i * 1000000u + j;
    }
    assert_int_equal(sum, whole);
}

static void long_events(void) {
    for (int i = 0; i < EACH; i++) {
        put_long();
        if (i % 7 == 0)
            put_small(1);
    }
}

static void long_events_stay_in_the_buffer(void **state) {
    static struct found before, after;
    (void)state;
    read_around(long_events, &before, &after);
    assert_int_equal(after.long_ones - before.long_ones, EACH);
}

static void long_texts(void) {
    static char text[200000];
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 20; i++)
        assert_true(put_text(i % 2 ? text : ""));
    assert_true(put_text(NULL));
}

static void a_long_text_is_cut(void **state) {
    static struct found before, after;
    (void)state;
    read_around(long_texts, &before, &after);
    assert_int_equal(after.wide - before.wide, 21);
    assert_int_equal(after.text_bytes - before.text_bytes, 10 * 16385 + 11);
}

static void within_another(void) {
    struct pinsight_event_place outer;
    uint32_t number = 7;
    put_small(1);
    assert_true(pinsight_stream_reserve(&small, sizeof number, &outer));
    assert_false(put_text("from a signal handler"));
    pinsight_stream_commit(&outer, PINSIGHT_STORE(outer.at, number));
    assert_int_equal(pinsight_recording.control->refused, 1);
}

static void an_event_within_an_event_is_refused(void **state) {
    static struct found before, after;
    (void)state;
    read_around(within_another, &before, &after);
    assert_int_equal(after.small - before.small, 2);
    assert_int_equal(after.wide, before.wide);
}

/* The child's first event begins a stream of its own, and the parent's is as it was. */
static void forks(void) {
    put_small(1);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (!child) {
            put_small(2);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        put_small(3);
    }
}

static void children_have_streams_of_their_own(void **state) {
    static struct found before, after;
    (void)state;
    read_around(forks, &before, &after);
    assert_int_equal(after.small - before.small, 1 + 2 * 20);
    assert_int_equal(after.packets - before.packets, 21);
    assert_int_equal(after.syncs - before.syncs, 21);
}

/* All events there are, once with each head that they may have. */
static void events_are_counted(void **state) {
    static uint8_t packet[100000];
    uint64_t count = 0;
    uint8_t *at = packet + sizeof(struct pinsight_packet_head);
    (void)state;
    for (uint32_t number = 0; number < pinsight_file_shape_count; number++) {
        const char *shape = pinsight_file_shapes[number];
        for (int extended = number >= PINSIGHT_EXTENDED; shape && extended < 2;
             extended++, count++) {
            uint32_t word = extended ? PINSIGHT_EXTENDED : number;
            memcpy(at, &word, sizeof word);
            memcpy(at + 1, &number, extended ? sizeof number : 0);
            at += extended ? PINSIGHT_EXTENDED_BYTES : sizeof word;
            for (const char *field = shape; *field; field++)
                at += *field == 's' ? sprintf((char *)at, "%.*s", extended * 5, "a text") + 1
                                    : *field - '0';
        }
    }
    assert_true(count > 100);
    uint64_t bytes = (uint64_t)(at - packet);
    assert_int_equal(pinsight_file_count_events(packet, bytes), count);
    assert_int_equal(pinsight_file_count_events(packet, bytes - 1), count - 1);
    for (uint64_t less = 0; less < bytes - sizeof(struct pinsight_packet_head); less++)
        assert_true(pinsight_file_count_events(packet, bytes - less) <= count);
}

/* ---- where the folder is out of reach ---- */

static char jail[sizeof output + 8];

static void by_threads_in_a_jail(void) {
    put_small(1);
    pinsight_file_worker_start();
    assert_int_equal(chroot(jail), 0);
    assert_int_equal(chdir("/"), 0);
    by_threads();
}

static void by_threads_of_another_user(void) {
    put_small(1);
    pinsight_file_worker_start();
    assert_int_equal(setgid(65534), 0);
    assert_int_equal(setuid(65534), 0);
    by_threads();
}

static void by_threads_without_descriptors(void) {
    put_small(1);
    while (dup(0) >= 0)
        continue;
    by_threads();
}

/* Back in one thread, where the kernel lets it go into another space of users. */
static void by_one_thread_again(void) {
    put_small(1);
    pinsight_file_worker_start();
    pinsight_file_worker_end();
    pid_t child = fork();
    if (!child)
        _exit(unshare(CLONE_NEWUSER) != 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(status != 0 || unshare(CLONE_NEWUSER) == 0);
    by_threads();
}

/* The child of vfork() is another process in the same memory. */
static void by_threads_after_vfork(void) {
    struct pinsight_counts_grant grant;
    pinsight_recorder_file.fork_child(&grant);
    pid_t child = vfork();
    if (!child) {
        pinsight_file_worker_start();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    by_threads_without_descriptors();
}

static void out_of_reach_nothing_is_lost(void **state) {
    static void (*const ways[])(void) = {by_threads_without_descriptors, by_threads_after_vfork,
                                         by_one_thread_again, by_threads_in_a_jail,
                                         by_threads_of_another_user};
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it takes the thread that writes beside for the one that waits for it */
#endif
    snprintf(jail, sizeof jail, "%s/jail", output);
    mkdir(jail, 0755);
    for (size_t i = 0; i < (geteuid() ? 3 : sizeof ways / sizeof ways[0]); i++) {
        static struct found before, after;
        read_around(ways[i], &before, &after);
        assert_int_equal(after.small - before.small, THREADS * EACH + 1);
        assert_int_equal(pinsight_recording.control->lost_bytes, 0);
        assert_int_equal(pinsight_recording.control->no_buffer, 0);
    }
}

static void twice_the_end(void) {
    put_small(1);
    pinsight_recorder_file.flush();
    put_small(2);
    pinsight_recorder_file.flush();
}

/* At the begin, and each time that the process says that it may end now. */
static void clocks_are_recorded(void **state) {
    struct found before, after;
    (void)state;
    read_around(twice_the_end, &before, &after);
    assert_int_equal(after.small - before.small, 2);
    assert_int_equal(after.syncs - before.syncs, 3);
}

/* A buffer whose process is gone may be finished any number of times, and by several at once. */
static void finishing_again_changes_nothing(void **state) {
    static struct found before, after;
    struct pinsight_file_finished finished;
    (void)state;
    read_all(&before);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pinsight_file_folder_finish(output, &finished), 0);
        assert_int_equal(finished.finished, 0);
    }
    read_all(&after);
    assert_memory_equal(&before, &after, sizeof before);
}

/* ---- while a slow disk makes the buffer of another thread ---- */

static _Atomic bool is_held;

static void *hold(void *unused) {
    (void)unused;
    assert_true(pinsight_pool_lock());
    is_held = true;
    usleep(500000);
    pinsight_pool_unlock();
    return NULL;
}

static void *record_meanwhile(void *unused) {
    (void)unused;
    while (!is_held)
        sched_yield();
    put_small(1);
    pinsight_recorder_file.thread_end();
    return NULL;
}

static void beside_a_holder(void) {
    put_small(1);
    struct test_threads holder = threads_start(1, hold, NULL, 0);
    threads_run(2, record_meanwhile, NULL, 0);
    threads_join(&holder);
}

static void first_events_wait_for_the_lock(void **state) {
    static struct found before, after;
    (void)state;
    read_around(beside_a_holder, &before, &after);
    assert_int_equal(after.small - before.small, 3);
}

/* A signal handler interrupts the thread that holds the lock. */
static void within_the_holder(void) {
    put_small(1);
    assert_true(pinsight_pool_lock());
    assert_false(pinsight_pool_lock());
    assert_int_equal(errno, EBUSY);
    pinsight_pool_unlock();
    put_small(1);
}

static void a_holder_does_not_wait_for_itself(void **state) {
    static struct found before, after;
    (void)state;
    read_around(within_the_holder, &before, &after);
    assert_int_equal(after.small - before.small, 2);
}

int main(void) {
    return RUN_TESTS_GROUP(set_up, take_down, threads_lose_nothing, long_events_stay_in_the_buffer,
                           a_long_text_is_cut, an_event_within_an_event_is_refused,
                           children_have_streams_of_their_own, out_of_reach_nothing_is_lost,
                           clocks_are_recorded, finishing_again_changes_nothing, events_are_counted,
                           first_events_wait_for_the_lock, a_holder_does_not_wait_for_itself);
}
