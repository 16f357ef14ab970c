/* Resident memory; see resident.h. */
#include "tracer/record/resident.h"

#include "base/forbidden.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns whether the caller is to read at `now`. Of several threads, one is. */
static bool take_turn(uint64_t now, uint64_t interval) {
    static uint64_t next;
    uint64_t due = __atomic_load_n(&next, __ATOMIC_RELAXED);
    return now >= due && __atomic_compare_exchange_n(&next, &due, now + interval, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Returns the second number of /proc/self/statm (proc_pid_statm(5)), in pages. Uses system calls,
 * because libc's functions are cancellation points. */
static uint64_t read_pages(void) {
    char text[96];
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
    long length = fd < 0 ? -1 : syscall(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[length > 0 ? length : 0] = '\0';
    const char *second = strchr(text, ' ');
    return second ? strtoull(second + 1, NULL, 10) : 0;
}

uint64_t pinsight_resident_bytes(uint64_t now, uint64_t interval) {
    if (!take_turn(now, interval) ||
        atomic_load_explicit(&pinsight_opens_are_forbidden, memory_order_relaxed))
        return 0;
    int error = errno;
    uint64_t bytes = read_pages() * getauxval(AT_PAGESZ);
    errno = error;
    return bytes;
}
