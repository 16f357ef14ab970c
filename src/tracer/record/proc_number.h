/* Numbers of the process that the kernel writes into a file of /proc. For the recorders. */
#ifndef PINSIGHT_RECORD_PROC_NUMBER_H
#define PINSIGHT_RECORD_PROC_NUMBER_H

#include "base/forbidden.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the second number in a file such as /proc/self/statm. Returns 0 if it cannot be read, or
 * if the program forbids it to open files. Uses system calls, because libc's functions are
 * cancellation points (pthreads(7)). Keeps errno. Any thread. Async-signal-safe. */
static inline uint64_t pinsight_proc_second_number(const char *path) {
    int error = errno;
    char text[96];
    if (atomic_load_explicit(&pinsight_opens_are_forbidden, memory_order_relaxed))
        return 0;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long length = fd < 0 ? -1 : syscall(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[length > 0 ? length : 0] = '\0';
    const char *second = strchr(text, ' ');
    uint64_t number = second ? strtoull(second + 1, NULL, 10) : 0;
    errno = error;
    return number;
}

#endif
