/* Safe access to files and folders; see safe_files.h. */
#include "base/safe_files.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_LOOK_MS = 5, FOR_OTHERS = S_IWGRP | S_IWOTH };

static int close_with(int fd, int error) {
    close(fd);
    errno = error;
    return -1;
}

/* Returns the descriptor if it belongs to a regular file. Otherwise closes it and returns -1 with
 * errno. */
static int take_regular(int fd, struct stat *status) {
    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, status) != 0) {
        return close_with(fd, errno);
    }
    if (!S_ISREG(status->st_mode)) {
        return close_with(fd, S_ISDIR(status->st_mode) ? EISDIR : ENXIO);
    }
    return fd;
}

int pinsight_open_regular(int folder, const char *path, int flags) {
    struct stat status;

    return take_regular(openat(folder, path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), &status);
}

static FILE *stream_of(int fd) {
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

    if (file == NULL && fd >= 0) {
        close_with(fd, errno);
    }
    return file;
}

FILE *pinsight_open_to_read(const char *path) {
    return stream_of(pinsight_open_regular(AT_FDCWD, path, O_RDONLY));
}

int pinsight_open_safely(const char *path) {
    struct stat status;
    int fd = pinsight_open_regular(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);

    if (fd >= 0 || errno != ELOOP) {
        return fd;
    }
    if (lstat(path, &status) != 0 || (status.st_uid != geteuid() && status.st_uid != 0)) {
        errno = ELOOP;
        return -1;
    }
    return pinsight_open_regular(AT_FDCWD, path, O_RDONLY);
}

FILE *pinsight_fopen_safely(const char *path) {
    return stream_of(pinsight_open_safely(path));
}

int pinsight_open_to_write(int folder, const char *path, int flags, unsigned mode) {
    struct stat status;
    int fd =
        take_regular(openat(folder, path,
                            flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode),
                     &status);

    /* The umask can remove the owner's rights. */
    if (fd >= 0 && (status.st_mode & 0600) != 0600 && status.st_uid == geteuid()) {
        fchmod(fd, (status.st_mode & 0777) | 0600);
    }
    return fd;
}

int pinsight_make_folder(int folder, const char *path, unsigned mode) {
    struct stat status;
    char link[64];

    if (mkdirat(folder, path, mode) != 0) {
        return errno;
    }
    int fd = pinsight_open_folder(folder, path, O_NOFOLLOW);
    if (fd < 0) {
        return errno;
    }
    int error = fstat(fd, &status) != 0 ? errno : 0;
    if (error == 0 && (status.st_mode & 0700) != 0700) {
        /* fchmod() refuses a descriptor that was opened with O_PATH. */
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        error = chmod(link, (status.st_mode & 0777) | 0700) != 0 ? errno : 0;
    }
    close(fd);
    return error;
}

int pinsight_open_folder(int folder, const char *path, int flags) {
    return openat(folder, path, flags | O_PATH | O_DIRECTORY | O_CLOEXEC);
}

enum pinsight_owned pinsight_look_at_owner(int folder) {
    struct stat status;

    if (fstat(folder, &status) != 0 || status.st_uid != geteuid()) {
        return PINSIGHT_OF_ANOTHER;
    }
    return (status.st_mode & FOR_OTHERS) != 0 ? PINSIGHT_FOR_OTHERS : PINSIGHT_OWN;
}

enum pinsight_owned pinsight_try_owner(int folder) {
    enum pinsight_owned owned = pinsight_look_at_owner(folder);
    struct stat status, made;
    char name[64];

    if (owned == PINSIGHT_OWN) {
        return owned;
    }
    snprintf(name, sizeof(name), ".pinsight-%d-%d", (int)getpid(), (int)gettid());
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return owned;
    }
    /* Both are checked by their descriptors, because another process can replace a file by its
     * name. */
    if (fstat(folder, &status) == 0 && fstat(fd, &made) == 0) {
        owned = status.st_uid != made.st_uid                         ? PINSIGHT_OF_ANOTHER
                : (status.st_mode & FOR_OTHERS & ~made.st_mode) != 0 ? PINSIGHT_FOR_OTHERS
                                                                     : PINSIGHT_OWN_UNMARKED;
    }
    unlinkat(folder, name, 0);
    close(fd);
    return owned;
}

const char *pinsight_not_own(enum pinsight_owned owned) {
    return owned == PINSIGHT_OF_ANOTHER
               ? "it belongs to another user"
               : "others may write into it (`chmod go-w` takes that from them)";
}

int pinsight_lock_within(int fd, unsigned ms) {
    for (unsigned waited = 0;; waited += LOCK_LOOK_MS) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            return 0;
        }
        if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= ms) {
            return errno;
        }
        pinsight_sleep_ms(LOCK_LOOK_MS);
    }
}
