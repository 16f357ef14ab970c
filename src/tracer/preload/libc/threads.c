/*
 * The number of threads that CPython sees.
 *
 * CPython 3.12 and later read /proc/self/stat after each fork(), and warn if the process has more
 * than one thread. With `-W error` the warning is an exception. A recorder's threads are safe,
 * because its fork support handles them. Therefore, once for each fork, a thread that opens that
 * file with fopen() gets a copy that does not count them. CPython still warns about threads of the
 * program's own.
 */
#include "forward.h"
#include "libc.h"

#include "tracer/record/recorder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number of this thread's forks after which it has not read the file yet. A hook of
 * os.register_at_fork(), or a signal handler, may fork before the outer fork has read it.
 * Initial-exec: fork() may be called in a signal handler, where allocation is forbidden. */
static _Thread_local unsigned char forked __attribute__((tls_model("initial-exec")));

void pinsight_threads_forked(bool in_child) {
    if (in_child)
        forked = 0;
    else if (forked < UCHAR_MAX)
        forked++;
}

/* Reads a whole small file of /proc as a string. Returns its length, or 0 if it cannot be read. */
static size_t read_small(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd == -1) {
        return 0;
    }
    ssize_t got = read(fd, text, size - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return strlen(text);
}

/* Our threads have names of their own, compared in full: a program may be called
 * pinsight-something, and its threads after it. */
bool pinsight_task_is_tracers(const char *task) {
    char path[64];
    char name[32];
    snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm", task);
    read_small(path, name, sizeof(name));
    return (pinsight_recorder_shim.owns_thread && pinsight_recorder_shim.owns_thread(name)) ||
           strcmp(name, "pinsight-watch\n") == 0 || strcmp(name, "pinsight-listen\n") == 0 ||
           strcmp(name, "pinsight-last\n") == 0 || strcmp(name, "pinsight-ctrl\n") == 0 ||
           strcmp(name, "pinsight-ctl\n") == 0 || strcmp(name, "pinsight-apply\n") == 0 ||
           strcmp(name, "pinsight-files\n") == 0;
}

bool pinsight_task_has_ended(const char *task) {
    char path[64];
    char text[1024];
    snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", task);
    const char *name_end = read_small(path, text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
    return name_end && (name_end[2] == 'Z' || name_end[2] == 'X');
}

static long tracer_threads(void) {
    long count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) {
        return 0;
    }
    for (struct dirent *task; (task = readdir(tasks));) {
        if (task->d_name[0] != '.' && pinsight_task_is_tracers(task->d_name)) {
            count++;
        }
    }
    closedir(tasks);
    return count;
}

/* Finds the number of threads in the text of /proc/self/stat, field 20 of proc(5). The name before
 * it, in parentheses, may contain any characters. */
static char *thread_field(char *text) {
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < 20; field++) {
        at = strchr(at + 1, ' ');
    }
    return at ? at + 1 : NULL;
}

static FILE *stat_without_tracer(void) {
    char text[1024];
    char *field;
    char *after;
    if (read_small("/proc/self/stat", text, sizeof(text)) == 0 || !(field = thread_field(text))) {
        return NULL;
    }
    long threads = strtol(field, &after, 10) - tracer_threads();
    FILE *file = fmemopen(NULL, sizeof(text), "w+");
    if (file) {
        fprintf(file, "%.*s%ld%s", (int)(field - text), text, threads > 1 ? threads : 1, after);
        rewind(file);
    }
    return file;
}

static _Atomic bool shows_all;

void pinsight_threads_show_all(void) {
    shows_all = true;
}

static FILE *open_file(enum pinsight_target target, const char *path, const char *mode) {
    if (forked && !shows_all && strcmp(path, "/proc/self/stat") == 0 && strcmp(mode, "r") == 0) {
        forked--;
        FILE *file = stat_without_tracer();
        if (file) {
            return file;
        }
    }
    FILE *(*next)(const char *, const char *) = pinsight_next(target);
    return next ? next(path, mode) : NULL;
}

PINSIGHT_EXPORT FILE *fopen(const char *path, const char *mode) {
    return open_file(TO_fopen, path, mode);
}

PINSIGHT_EXPORT FILE *fopen64(const char *path, const char *mode) {
    return open_file(TO_fopen64, path, mode);
}
