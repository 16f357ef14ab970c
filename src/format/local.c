/* Buffers on a local file system; see local.h. */
#include "format/local.h"

#include "base/safe_files.h"
#include "format/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define OURS "pinsight-buffers-"

/* Magic numbers of unsuitable file systems (linux/magic.h and others). */
static const uint32_t not_served[] = {
    0x6969,     /* NFS */
    0x0bd00bd0, /* Lustre */
    0x9123683e, /* btrfs */
    0x2fc12fc1, /* ZFS */
    0x47504653, /* GPFS */
    0x19830326, /* BeeGFS */
    0x00c36400, /* Ceph */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB 2 */
    0x01021997, /* 9P */
};

static bool serves(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0)
        return false;
    for (size_t i = 0; i < sizeof not_served / sizeof not_served[0]; i++)
        if ((uint32_t)status.f_type == not_served[i])
            return false;
    return true;
}

/* Writes the name of the folder of buffers, PLACE/pinsight-buffers-UID-UUID. */
static void name_folder(char name[NAME_MAX], const uint8_t uuid[16]) {
    int length = snprintf(name, NAME_MAX, OURS "%u-", (unsigned)geteuid());
    for (int at = 0; at < 16; at++)
        length += sprintf(name + length, "%02x", uuid[at]);
}

/* Opens a folder of buffers. It must be own, because other users can predict its name. Returns -1
 * with errno. */
static int open_local(const char *path) {
    int fd = pinsight_open_folder(AT_FDCWD, path, O_NOFOLLOW);
    if (fd >= 0 && pinsight_look_at_owner(fd) != PINSIGHT_OWN) {
        close(fd);
        errno = EPERM;
        fd = -1;
    }
    return fd;
}

static int make_local(const char *path) {
    int error = pinsight_make_folder(AT_FDCWD, path, 0700);
    if (error && error != EEXIST) {
        errno = error;
        return -1;
    }
    return open_local(path);
}

void pinsight_local_choose(const char *folder, const uint8_t uuid[16], char path[PATH_MAX]) {
    const char *places[] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm", getenv("TMPDIR"), "/tmp"};
    char name[NAME_MAX];
    *path = '\0';
    if (serves(folder))
        return;
    name_folder(name, uuid);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (!places[i] || *places[i] != '/' || !serves(places[i]) ||
            snprintf(path, PATH_MAX, "%s/%s", places[i], name) >= PATH_MAX - 128)
            continue;
        int fd = make_local(path);
        if (fd >= 0) {
            close(fd);
            return;
        }
    }
    *path = '\0';
}

int pinsight_local_create(const char *local, int folder, const char *name) {
    char file[PATH_MAX];
    if (!*local)
        return pinsight_open_to_write(folder, name, O_RDWR | O_EXCL, 0600);
    if (snprintf(file, sizeof file, "%s/%s", local, name) >= (int)sizeof file) {
        errno = ENAMETOOLONG;
        return -1;
    }
    /* The process that finished the last buffer there may have removed the folder. */
    int there = make_local(local);
    int fd = there < 0 ? -1 : pinsight_open_to_write(there, name, O_RDWR | O_EXCL, 0600);
    int error = errno;
    if (fd >= 0 && symlinkat(file, folder, name) != 0) {
        error = errno;
        close(fd);
        unlinkat(there, name, 0);
        fd = -1;
    }
    if (there >= 0)
        close(there);
    errno = error;
    return fd;
}

/* Opens the folder that a link leads to. Returns -1 with errno: EINVAL if it is not a link, EPERM
 * if the link does not lead into a folder that a process of this user made for this trace. */
static int follow(int folder, const char *name, char path[PATH_MAX]) {
    struct pinsight_control control;
    char wanted[NAME_MAX];
    ssize_t length = readlinkat(folder, name, path, PATH_MAX - 1);
    if (length < 0)
        return -1;
    path[length] = '\0';
    char *file = strrchr(path, '/');
    bool is_ours = false;
    if (file && *path == '/' && strcmp(file + 1, name) == 0 && !strstr(path, "/../") &&
        pinsight_file_control_read(folder, &control)) {
        *file = '\0';
        const char *parent = strrchr(path, '/');
        name_folder(wanted, control.uuid);
        is_ours = parent && strcmp(parent + 1, wanted) == 0;
    }
    errno = EPERM;
    return is_ours ? open_local(path) : -1;
}

int pinsight_local_open(int folder, const char *name, int flags, bool follows) {
    char path[PATH_MAX];
    int fd = pinsight_open_regular(folder, name, flags | O_NOFOLLOW);
    if (fd >= 0 || errno != ELOOP)
        return fd;
    errno = EPERM;
    int there = follows ? follow(folder, name, path) : -1;
    if (there >= 0)
        fd = pinsight_open_regular(there, name, flags | O_NOFOLLOW);
    /* The folder or the file does not exist. */
    int error = errno == ENOENT ? EREMOTE : errno;
    if (there >= 0)
        close(there);
    errno = error;
    return fd;
}

void pinsight_local_remove(int folder, const char *name) {
    char path[PATH_MAX];
    int there = follow(folder, name, path);
    if (there >= 0) {
        unlinkat(there, name, 0);
        close(there);
        rmdir(path); /* succeeds if it was the last one */
    }
    unlinkat(folder, name, 0);
}
