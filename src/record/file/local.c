/* Buffers on a local file system; see local.h. */
#include "record/file/local.h"

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

/* linux/magic.h, and those of file systems that are not in it. */
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

void pinsight_local_choose(const char *folder, const uint8_t uuid[16], char path[PATH_MAX]) {
    const char *places[] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm", getenv("TMPDIR"), "/tmp"};
    *path = '\0';
    if (serves(folder))
        return;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (!places[i] || *places[i] != '/' || !serves(places[i]))
            continue;
        int length = snprintf(path, PATH_MAX, "%s/" OURS "%u-", places[i], (unsigned)geteuid());
        if (length >= PATH_MAX - 128)
            continue;
        for (int at = 0; at < 16; at++)
            length += sprintf(path + length, "%02x", uuid[at]);
        if (mkdir(path, 0700) == 0 || errno == EEXIST)
            return;
    }
    *path = '\0';
}

int pinsight_local_create(const char *local, const char *path) {
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    char file[PATH_MAX];
    if (!*local)
        return open(path, flags, 0600);
    if (snprintf(file, sizeof file, "%s%s", local, strrchr(path, '/')) >= (int)sizeof file) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = open(file, flags, 0600);
    /* Who finished the last buffer there has removed it. */
    if (fd < 0 && errno == ENOENT && mkdir(local, 0700) == 0)
        fd = open(file, flags, 0600);
    if (fd >= 0 && symlink(file, path) != 0) {
        int error = errno;
        close(fd);
        unlink(file);
        errno = error;
        fd = -1;
    }
    return fd;
}

int pinsight_local_find(int folder, const char *name, char path[PATH_MAX]) {
    ssize_t length = readlinkat(folder, name, path, PATH_MAX - 1);
    if (length < 0)
        return errno;
    path[length] = '\0';
    /* PLACE/pinsight-buffers-.../.PID-START-N */
    const char *file = strrchr(path, '/'), *parent = file;
    while (parent && parent > path && parent[-1] != '/')
        parent--;
    bool is_ours = *path == '/' && parent && strncmp(parent, OURS, sizeof OURS - 1) == 0 &&
                   file[1] == '.' && !strstr(path, "/../");
    return is_ours ? 0 : EPERM;
}

void pinsight_local_remove(int folder, const char *name) {
    char path[PATH_MAX];
    if (pinsight_local_find(folder, name, path) == 0) {
        unlink(path);
        *strrchr(path, '/') = '\0';
        rmdir(path); /* where it was the last one */
    }
    unlinkat(folder, name, 0);
}
