/*
 * close() and the related functions, in a process that may have a recorder.
 *
 * Programs close descriptors that are not their own. Python's subprocess module closes all but a
 * few in the child that it forks. A process that becomes a daemon does so, too. Closing all would
 * close a recorder's sockets while its threads use them. The threads then abort, or write into a
 * file of the program. Therefore a recorder may have a close() that returns EBADF for its own
 * descriptors. For close_range() and closefrom() the recorder has no functions. Both call the
 * recorder's close() here.
 *
 * All of this may run between vfork() or fork() and exec(), and allocates nothing.
 */
#include "forward.h"
#include "libc.h"

#include "tracer/record/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

static atomic_bool guarded;

void pinsight_fds_guard(const struct pinsight_recorder_guards *guards) {
    pinsight_redirect_into(guards->fds, TO_close, TO_close);
    atomic_store(&guarded, true);
}

PINSIGHT_EXPORT int close(int fd) {
    int (*next)(int) = pinsight_next(TO_close);
    return next ? next(fd) : -1;
}

static int number(const char *text) {
    int value = 0;
    for (; *text >= '0' && *text <= '9' && value < INT_MAX / 10; text++) {
        value = value * 10 + (*text - '0');
    }
    return *text ? -1 : value;
}

/* getdents64(2) */
struct directory_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* Closes the open descriptors that /proc lists. Returns false if there is no /proc, or no free
 * descriptor. */
static bool close_listed(unsigned int first, unsigned int last) {
    int folder =
        (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (folder == -1) {
        return false;
    }
    _Alignas(struct directory_entry) char buffer[2048];
    long size;
    while ((size = syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
        for (long at = 0; at < size;) {
            struct directory_entry *entry = (struct directory_entry *)(void *)(buffer + at);
            at += entry->length;
            int fd = number(entry->name);
            if (entry->name[0] != '.' && fd != -1 && fd != folder && (unsigned int)fd >= first &&
                (unsigned int)fd <= last) {
                close(fd);
            }
        }
    }
    syscall(SYS_close, folder);
    return size == 0;
}

static void close_all(unsigned int first, unsigned int last) {
    int saved_errno = errno;
    if (!close_listed(first, last)) {
        long limit = sysconf(_SC_OPEN_MAX);
        unsigned int end = limit > 0 && limit < INT_MAX ? (unsigned int)limit - 1 : 65535;
        for (unsigned int fd = first; fd <= last && fd <= end; fd++) {
            close((int)fd);
        }
    }
    errno = saved_errno;
}

PINSIGHT_EXPORT int close_range(unsigned int first, unsigned int last, int flags) {
    bool closes = (flags & ~(int)CLOSE_RANGE_UNSHARE) == 0 && first <= last;
    if (closes && atomic_load_explicit(&guarded, memory_order_acquire)) {
        if (flags && unshare(CLONE_FILES) != 0) {
            return -1;
        }
        close_all(first, last);
        return 0;
    }
    int (*next)(unsigned int, unsigned int, int) = pinsight_next(TO_close_range);
    return next ? next(first, last, flags) : -1;
}

PINSIGHT_EXPORT void closefrom(int first) {
    void (*next)(int) = NULL;
    if (!atomic_load_explicit(&guarded, memory_order_acquire)) {
        next = pinsight_next(TO_closefrom);
    }
    if (next) {
        next(first);
    } else {
        close_all(first > 0 ? (unsigned int)first : 0, UINT_MAX);
    }
}
