/* Finds out whether threads are scarce; see thread_limit.h. */
#include "tracer/core/thread_limit.h"

#include "base/forbidden.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number of threads that are left to the program. */
#define ROOM 512u

/* Reads the begin of a file in /proc. Returns false if there is no such file. */
static bool read_begin(int folder, const char *name, char *text, size_t room) {
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, room - 1) : -1;

    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* Returns the number of threads of the whole machine, from "0.20 0.18 0.12 1/80 11206"
 * (proc(5)). */
static unsigned long of_all(void) {
    char text[128];
    const char *slash =
        read_begin(AT_FDCWD, "/proc/loadavg", text, sizeof text) ? strchr(text, '/') : NULL;

    return slash ? strtoul(slash + 1, NULL, 10) : 0;
}

/* Returns the number of threads of a process: field 20 of its stat, the 18th behind the name. */
static unsigned long of_process(int proc, const char *pid) {
    char name[32], text[512];
    const char *at;

    snprintf(name, sizeof name, "%.10s/stat", pid);
    at = read_begin(proc, name, text, sizeof text) ? strrchr(text, ')') : NULL;
    for (int field = 2; at && field < 20; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoul(at, NULL, 10) : 0;
}

/* Returns the number of threads of all processes of this process's user. */
static unsigned long of_user(void) {
    DIR *folder = opendir("/proc");
    unsigned long count = 0;
    struct stat about;

    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (isdigit((unsigned char)entry->d_name[0]) &&
            fstatat(dirfd(folder), entry->d_name, &about, 0) == 0 && about.st_uid == getuid())
            count += of_process(dirfd(folder), entry->d_name);
    if (folder)
        closedir(folder);
    return count;
}

bool pinsight_thread_limit_is_near(void) {
    struct rlimit limit;
    int error = errno;
    bool scarce = !atomic_load(&pinsight_opens_are_forbidden) && getuid() != 0 &&
                  getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                  of_all() + ROOM > limit.rlim_cur && of_user() + ROOM > limit.rlim_cur;
    errno = error;
    return scarce;
}
