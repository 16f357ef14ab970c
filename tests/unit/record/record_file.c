/* The file recorder without a domain: what threads store is in the files, in order and whole. */
#include "unit.h"

#include "record/counts.h"
#include "record/file/beside.h"
#include "record/file/folder.h"
#include "record/file/recording.h"
#include "record/recorder.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 3, WIDE = 40, THREADS = 4, EACH = 30000 };

static const struct pinsight_event_number small = {WIDE + 1, SMALL, 0, 0};
static const struct pinsight_event_number wide = {WIDE, PINSIGHT_NOT_FREQUENT, 1, 0};

static char output[] = "/tmp/pinsight-record-XXXXXX";
static char folder[PATH_MAX];

/* ---- reading back ---- */

struct found {
    uint64_t small, wide, packets, text_bytes;
    uint64_t sums[64]; /* of the numbers, by thread in order of appearance */
    uint32_t tids[64];
    unsigned tid_count;
};

static unsigned thread_of(struct found *found, uint32_t tid) {
    for (unsigned i = 0; i < found->tid_count; i++)
        if (found->tids[i] == tid)
            return i;
    assert_true(found->tid_count < 64);
    found->tids[found->tid_count] = tid;
    return found->tid_count++;
}

static void read_packet(const uint8_t *at, const uint8_t *end, struct found *found) {
    struct pinsight_packet_head packet;
    memcpy(&packet, at, sizeof packet);
    assert_int_equal(packet.magic, PINSIGHT_CTF_MAGIC);
    assert_true(packet.begin <= packet.end);
    unsigned thread = thread_of(found, packet.vtid);
    uint64_t last = packet.begin;
    for (at += sizeof packet; at < end;) {
        uint32_t word, number;
        memcpy(&word, at, 4);
        if ((word & 31) == PINSIGHT_EXTENDED) {
            uint32_t event;
            uint64_t now;
            memcpy(&event, at + 1, 4);
            memcpy(&now, at + 5, 8);
            assert_true(now >= last);
            last = now;
            at += PINSIGHT_EXTENDED_BYTES;
            if (event == WIDE) {
                size_t bytes = strlen((const char *)at) + 1;
                found->text_bytes += bytes;
                found->wide++;
                at += bytes;
                continue;
            }
            assert_int_equal(event, WIDE + 1);
        } else {
            assert_int_equal(word & 31, SMALL);
            last += ((word >> 5) - (uint32_t)last) & ((1u << 27) - 1);
            at += 4;
        }
        memcpy(&number, at, 4);
        at += 4;
        found->small++;
        found->sums[thread] += number;
    }
    assert_ptr_equal(at, end);
    assert_true(last <= packet.end);
}

static void read_stream(const char *name, struct found *found) {
    char path[PATH_MAX + 256];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    uint8_t *bytes = malloc((size_t)status.st_size);
    assert_int_equal(read(fd, bytes, (size_t)status.st_size), status.st_size);
    close(fd);
    for (uint8_t *at = bytes; at < bytes + status.st_size;) {
        struct pinsight_packet_head packet;
        memcpy(&packet, at, sizeof packet);
        assert_int_equal(packet.size, packet.content);
        read_packet(at, at + packet.size / 8, found);
        at += packet.size / 8;
        found->packets++;
    }
    free(bytes);
}

static void read_all(struct found *found) {
    memset(found, 0, sizeof *found);
    DIR *list = opendir(folder);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
            read_stream(entry->d_name, found);
    closedir(list);
}

/* ---- recording ---- */

static void put_small(uint32_t number) {
    struct pinsight_event_place place;
    if (!pinsight_stream_take(SMALL, &place))
        assert_true(pinsight_stream_reserve(&small, sizeof number, &place));
    pinsight_stream_commit(&place, PINSIGHT_STORE(place.at, number));
}

static bool put_text(const char *text) {
    struct pinsight_event_place place;
    size_t bytes = pinsight_stream_text_bytes(text);
    if (!pinsight_stream_reserve(&wide, bytes, &place))
        return false;
    pinsight_stream_commit(&place, pinsight_store_text(place.at, text, bytes));
    return true;
}

static void *record(void *first) {
    for (uint32_t i = 0; i < EACH; i++) {
        put_small((uint32_t)(uintptr_t)first + i);
        if (i % 1000 == 0)
            assert_true(put_text("a name of something"));
    }
    pinsight_recorder_file.thread_end();
    return NULL;
}

/* What a process leaves is finished by another, when it has ended. */
static void in_child(void (*work)(void)) {
    pid_t child = fork();
    if (!child) {
        work();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct pinsight_file_finished finished;
    assert_int_equal(pinsight_file_folder_finish(output, &finished), 0);
    assert_int_equal(finished.error, 0);
}

static void by_threads(void) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, record, (void *)(i * 1000000));
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void threads_lose_nothing(void **state) {
    struct found found;
    (void)state;
    in_child(by_threads);
    read_all(&found);
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

static void long_texts(void) {
    static char text[200000];
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 20; i++)
        assert_true(put_text(i % 2 ? text : ""));
    assert_true(put_text(NULL));
}

static void a_long_text_is_cut(void **state) {
    struct found before, after;
    (void)state;
    read_all(&before);
    in_child(long_texts);
    read_all(&after);
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
    struct found before, after;
    (void)state;
    read_all(&before);
    in_child(within_another);
    read_all(&after);
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
    struct found before, after;
    (void)state;
    read_all(&before);
    in_child(forks);
    read_all(&after);
    assert_int_equal(after.small - before.small, 1 + 2 * 20);
    assert_int_equal(after.packets - before.packets, 21);
}

/* ---- where the folder is out of reach ---- */

static char jail[sizeof output + 8];

static void by_threads_in_a_jail(void) {
    put_small(1);
    pinsight_beside_keep();
    assert_int_equal(chroot(jail), 0);
    assert_int_equal(chdir("/"), 0);
    by_threads();
}

static void by_threads_of_another_user(void) {
    put_small(1);
    pinsight_beside_keep();
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
    pinsight_beside_keep();
    pinsight_beside_end();
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
        pinsight_beside_keep();
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
    snprintf(jail, sizeof jail, "%s/jail", output);
    mkdir(jail, 0755);
    for (size_t i = 0; i < (geteuid() ? 3 : sizeof ways / sizeof ways[0]); i++) {
        struct found before, after;
        read_all(&before);
        in_child(ways[i]);
        read_all(&after);
        assert_int_equal(after.small - before.small, THREADS * EACH + 1);
        assert_int_equal(pinsight_recording.control->lost_bytes, 0);
        assert_int_equal(pinsight_recording.control->no_buffer, 0);
    }
}

/* A buffer whose process is gone may be finished any number of times, and by several at once. */
static void finishing_again_changes_nothing(void **state) {
    struct found before, after;
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

static int set_up(void **state) {
    struct pinsight_counts_grant grant;
    (void)state;
    if (!mkdtemp(output))
        return -1;
    setenv("PINSIGHT_OUTPUT", output, 1);
    return pinsight_recorder_file.join(&grant) == PINSIGHT_JOINED &&
                   pinsight_file_folder_path(folder, output)
               ? 0
               : -1;
}

static int take_down(void **state) {
    char command[sizeof output + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", output);
    return system(command);
}

int main(void) {
    return RUN_TESTS_GROUP(set_up, take_down, threads_lose_nothing, a_long_text_is_cut,
                           an_event_within_an_event_is_refused, children_have_streams_of_their_own,
                           out_of_reach_nothing_is_lost, finishing_again_changes_nothing);
}
