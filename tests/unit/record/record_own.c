/* The file recorder where others had their hands: it writes into no folder but its own, waits for
 * nothing, and changes nothing that is not its user's. */
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/paths.h"
#include "format/local.h"
#include "format/snapshot.h"

static void record_one(void) {
    put_small(1);
    pinsight_recorder_file.flush();
}

static void leave_a_buffer(void) {
    put_small(1);
}

static void name_stream(char path[PATH_MAX + 96], const char *dot) {
    char name[PINSIGHT_BUFFER_NAME];
    pinsight_buffer_name(pinsight_record_stream->head, dot, pinsight_record_stream->number, name);
    snprintf(path, PATH_MAX + 96, "%s/%s", folder, name);
}

/* Another user, who may write above the folder, puts one with a pipe into its place. */
static void lose_the_folder(void) {
    char aside[PATH_MAX + 8], path[PATH_MAX + 96];
    record_one();
    snprintf(aside, sizeof aside, "%s-aside", folder);
    name_stream(path, "");
    if (rename(folder, aside) != 0 || mkdir(folder, 0755) != 0 || chmod(folder, 0777) != 0 ||
        mkfifo(path, 0666) != 0)
        _exit(1);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    char byte;
    record_one();
    int is_empty = read(reader, &byte, 1) <= 0;
    pinsight_path_remove(folder);
    if (rename(aside, folder) != 0 || !is_empty)
        _exit(2);
    record_one();
}

static void nothing_goes_into_a_strange_folder(void **state) {
    static struct found before, after;
    (void)state;
    uint64_t lost = pinsight_recording.control->lost_events;
    read_around(lose_the_folder, &before, &after);
    assert_int_equal(after.small - before.small, 2);
    assert_true(pinsight_recording.control->lost_events > lost);
    struct pinsight_file_lost said;
    assert_true(pinsight_file_look_at_lost(folder, &said));
    assert_int_equal(said.error, EPERM);
    assert_non_null(strstr(pinsight_file_why_lost(EPERM), "another folder"));
    assert_string_equal(pinsight_file_why_lost(ENOSPC), "the disk was full");
    assert_non_null(strstr(pinsight_file_why_lost(ENOENT), "removed or renamed"));
}

static void record_with_no_rights(void) {
    struct stat status;
    char path[PATH_MAX + 96], buffer[PATH_MAX + 96];
    umask(0777);
    record_one();
    name_stream(path, "");
    name_stream(buffer, ".");
    if (stat(path, &status) != 0 || (status.st_mode & 07777) != 0600)
        _exit(1);
    if (stat(buffer, &status) != 0 || (status.st_mode & 07777) != 0600)
        _exit(2);
    record_one();
}

static void any_umask_will_do(void **state) {
    static struct found before, after;
    (void)state;
    read_around(record_with_no_rights, &before, &after);
    assert_int_equal(after.small - before.small, 2);
}

/* A folder that others may write to, as it is where one's own user did not make it. */
static void a_strange_folder_is_not_finished(void **state) {
    static struct found before, after;
    struct pinsight_file_finished finished;
    (void)state;
    read_all(&before);
    pid_t child = fork();
    if (!child) {
        leave_a_buffer();
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(chmod(folder, 0770), 0);
    assert_int_equal(pinsight_file_finish(folder, &finished), EPERM);
    assert_int_equal(pinsight_file_folder_finish(output, &finished), EPERM);
    read_all(&after);
    assert_int_equal(after.small, before.small);
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(pinsight_file_finish(folder, &finished), 0);
    assert_int_equal(finished.finished, 1);
    read_all(&after);
    assert_int_equal(after.small - before.small, 1);
}

/* Whoever may read a folder may lock it. */
static void a_lock_is_not_waited_for(void **state) {
    struct pinsight_file_finished finished;
    (void)state;
    int holder = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(holder, LOCK_SH), 0);
    assert_int_equal(pinsight_file_finish(folder, &finished), EWOULDBLOCK);
    close(holder);
    assert_int_equal(pinsight_file_finish(folder, &finished), 0);
}

static void make_buffer(const char *place, const char *name) {
    char path[PATH_MAX + 96];
    mkdir(place, 0700);
    snprintf(path, sizeof path, "%s/%s", place, name);
    close(open(path, O_WRONLY | O_CREAT, 0600));
}

static int open_link(int at, const char *name, const char *to, bool follows) {
    unlinkat(at, name, 0);
    assert_int_equal(symlinkat(to, at, name), 0);
    int fd = pinsight_local_open(at, name, O_RDONLY, follows);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return error;
}

/* A link to a buffer is followed only to the folder that this user's processes have for this trace,
 * and nothing else is removed. */
static void links_lead_to_own_buffers_only(void **state) {
    char ours[PATH_MAX], others[PATH_MAX], to[PATH_MAX + 96], uuid[33];
    const char *name = ".1-a-0";
    struct stat status;
    (void)state;
    int at = pinsight_open_folder(AT_FDCWD, folder, 0);
    for (int i = 0; i < 16; i++)
        sprintf(uuid + 2 * i, "%02x", pinsight_recording.control->uuid[i]);
    snprintf(ours, sizeof ours, "%s/pinsight-buffers-%u-%s", output, (unsigned)geteuid(), uuid);
    uuid[0] = uuid[0] == '0' ? '1' : '0';
    snprintf(others, sizeof others, "%s/pinsight-buffers-%u-%s", output, (unsigned)geteuid(), uuid);
    make_buffer(ours, name);
    make_buffer(others, name);

    snprintf(to, sizeof to, "%s/%s", others, name);
    assert_int_equal(open_link(at, name, to, true), EPERM);
    pinsight_local_remove(at, name);
    assert_int_equal(stat(to, &status), 0);

    snprintf(to, sizeof to, "%s/%s", ours, name);
    assert_int_equal(open_link(at, name, to, true), 0);
    assert_int_equal(open_link(at, name, to, false), EPERM);
    assert_int_equal(chmod(ours, 0777), 0);
    assert_int_equal(open_link(at, name, to, true), EPERM);
    assert_int_equal(chmod(ours, 0700), 0);
    snprintf(to, sizeof to, "%s/.1-a-1", ours);
    assert_int_equal(open_link(at, name, to, true), EPERM);
    snprintf(to, sizeof to, "%s/%s", ours, name);
    assert_int_equal(open_link(at, name, to, true), 0);
    pinsight_local_remove(at, name);
    assert_int_equal(stat(ours, &status), -1);
    assert_int_equal(open_link(at, name, to, true), EREMOTE);
    unlinkat(at, name, 0);
    close(at);
}

int main(void) {
    return RUN_TESTS_GROUP(set_up, take_down, nothing_goes_into_a_strange_folder, any_umask_will_do,
                           a_strange_folder_is_not_finished, a_lock_is_not_waited_for,
                           links_lead_to_own_buffers_only);
}
