/* Files and folders in places that other users may reach. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/safe_files.h"

static char place[64];
static int folder;

static int go_somewhere(void **state) {
    (void)state;
    strcpy(place, "/tmp/pinsight-test-XXXXXX");
    if (mkdtemp(place) == NULL || chdir(place) != 0) {
        return -1;
    }
    folder = pinsight_open_folder(AT_FDCWD, place, O_NOFOLLOW);
    return folder < 0;
}

static int go_away(void **state) {
    (void)state;
    close(folder);
    pinsight_path_remove(place);
    return chdir("/");
}

static void put(const char *name) {
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);

    assert_true(fd >= 0);
    close(fd);
}

static mode_t mode_of(const char *name) {
    struct stat about;

    assert_int_equal(lstat(name, &about), 0);
    return about.st_mode & 07777;
}

static void refused(int fd, int error) {
    assert_int_equal(fd, -1);
    assert_int_equal(errno, error);
}

static void test_only_files_are_read(void **state) {
    (void)state;
    put("file");
    assert_int_equal(mkfifo("pipe", 0600) | mkdir("inner", 0700) | symlink("file", "link"), 0);
    int fd = pinsight_open_regular(folder, "file", O_RDONLY | O_NOFOLLOW);
    assert_true(fd >= 0);
    close(fd);
    fd = pinsight_open_regular(folder, "link", O_RDONLY);
    assert_true(fd >= 0);
    close(fd);
    refused(pinsight_open_regular(folder, "link", O_RDONLY | O_NOFOLLOW), ELOOP);
    refused(pinsight_open_regular(folder, "pipe", O_RDONLY), ENXIO);
    refused(pinsight_open_regular(folder, "pipe", O_WRONLY), ENXIO);
    refused(pinsight_open_regular(folder, "pipe", O_RDWR), ENXIO);
    refused(pinsight_open_regular(folder, "/dev/zero", O_RDONLY), ENXIO);
    refused(pinsight_open_regular(folder, "inner", O_RDONLY), EISDIR);
    refused(pinsight_open_regular(folder, "none", O_RDONLY), ENOENT);
    assert_int_equal(symlink("pipe", "trap-to-read"), 0);
    fd = pinsight_open_safely("link");
    assert_true(fd >= 0);
    close(fd);
    refused(pinsight_open_safely("trap-to-read"), ENXIO);
    assert_null(pinsight_fopen_safely("pipe"));
    if (geteuid() == 0 && lchown("link", 65534, 65534) == 0) {
        refused(pinsight_open_safely("link"), ELOOP); /* another user's */
    }
    assert_null(pinsight_open_to_read("pipe"));
    assert_int_equal(errno, ENXIO);
    FILE *file = pinsight_open_to_read("link");
    assert_non_null(file);
    fclose(file);
}

static void test_only_files_are_written(void **state) {
    (void)state;
    put("precious");
    assert_int_equal(
        symlink("precious", "trap") | symlink("nothing", "loose") | mkfifo("pit", 0600), 0);
    refused(pinsight_open_to_write(folder, "trap", O_WRONLY | O_TRUNC, 0600), ELOOP);
    refused(pinsight_open_to_write(folder, "loose", O_WRONLY, 0600), ELOOP);
    refused(pinsight_open_to_write(folder, "pit", O_WRONLY, 0600), ENXIO);
    /* Also where somebody reads from it. */
    int reader = open("pit", O_RDONLY | O_NONBLOCK);
    refused(pinsight_open_to_write(folder, "pit", O_WRONLY, 0600), ENXIO);
    close(reader);
    refused(pinsight_open_to_write(folder, "precious", O_WRONLY | O_EXCL, 0600), EEXIST);
    assert_int_equal(access("nothing", F_OK), -1);
}

/* What is made can be used by its owner, and is for nobody else. */
static void test_any_umask(void **state) {
    static const mode_t masks[] = {0, 022, 0277, 0700, 0777};
    char name[32], inner[64];

    (void)state;
    for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
        mode_t before = umask(masks[i]);
        snprintf(name, sizeof(name), "made-%zu", i);
        int fd = pinsight_open_to_write(folder, name, O_WRONLY, 0600);
        close(fd);
        snprintf(inner, sizeof(inner), "new-%zu", i);
        int error = pinsight_make_folder(folder, inner, 0755);
        strcat(inner, "/below/it");
        int deep = pinsight_path_make(inner, 0700);
        umask(before);
        assert_true(fd >= 0);
        assert_int_equal(error | deep, 0);
        assert_int_equal(mode_of(name), 0600);
        assert_int_equal(mode_of(inner), 0700);
        *strchr(inner, '/') = '\0';
        assert_int_equal(mode_of(inner), (0755 & ~masks[i]) | 0700);
        assert_int_equal(pinsight_make_folder(folder, inner, 0755), EEXIST);
    }
}

static enum pinsight_owned look(const char *name, enum pinsight_owned (*at)(int)) {
    int fd = pinsight_open_folder(AT_FDCWD, name, 0);

    assert_true(fd >= 0);
    enum pinsight_owned owned = at(fd);
    close(fd);
    return owned;
}

static void test_owner(void **state) {
    (void)state;
    assert_int_equal(mkdir("mine", 0755), 0);
    assert_int_equal(look("mine", pinsight_look_at_owner), PINSIGHT_OWN);
    assert_int_equal(look("mine", pinsight_try_owner), PINSIGHT_OWN);
    for (mode_t others = 020; others != 0; others = others == 020 ? 002 : 0) {
        assert_int_equal(chmod("mine", 0755 | others), 0);
        assert_int_equal(look("mine", pinsight_look_at_owner), PINSIGHT_FOR_OTHERS);
        assert_int_equal(look("mine", pinsight_try_owner), PINSIGHT_FOR_OTHERS);
    }
    assert_true(pinsight_path_is_empty_folder("mine"));
    if (geteuid() != 0) {
        assert_int_equal(look("/", pinsight_try_owner), PINSIGHT_OF_ANOTHER);
    } else if (chown("mine", 65534, 65534) == 0) {
        assert_int_equal(look("mine", pinsight_look_at_owner), PINSIGHT_OF_ANOTHER);
        assert_int_equal(look("mine", pinsight_try_owner), PINSIGHT_OF_ANOTHER);
        assert_true(pinsight_path_is_empty_folder("mine"));
    }
}

static void test_a_lock_is_not_waited_for(void **state) {
    (void)state;
    put("locked");
    int holder = open("locked", O_RDONLY), other = open("locked", O_RDONLY);
    assert_int_equal(flock(holder, LOCK_SH), 0);
    assert_int_equal(pinsight_lock_within(other, 10), EWOULDBLOCK);
    assert_int_equal(flock(holder, LOCK_UN), 0);
    assert_int_equal(pinsight_lock_within(other, 10), 0);
    close(holder);
    close(other);
}

int main(void) {
    return RUN_TESTS_GROUP(go_somewhere, go_away, test_only_files_are_read,
                           test_only_files_are_written, test_any_umask, test_owner,
                           test_a_lock_is_not_waited_for);
}
