/*
 * Messages of the preloaded library: one line on stderr, once in a run.
 */
#include "preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool have_stderr;

void pinsight_say_ready(void) {
    int saved_errno = errno;
    have_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;
    errno = saved_errno;
}

/* Many processes of a run may have the same to say. The first to make the mark in the output folder
 * says it; a name with a leading dot is no stream to a reader of the trace. */
static bool first_to_say(const char *topic) {
    const char *output = secure_getenv("PINSIGHT_OUTPUT");
    char path[4096];
    if (!output || output[0] != '/' ||
        snprintf(path, sizeof(path), "%s/.pinsight-said-%s", output, topic) >= (int)sizeof(path)) {
        return true;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd == -1) {
        return errno != EEXIST;
    }
    close(fd);
    return true;
}

void pinsight_say_once(const char *topic, const char *format, ...) {
    int saved_errno = errno;
    if (have_stderr && first_to_say(topic)) {
        char line[2048] = "pinsight: ";
        size_t used = strlen(line);
        va_list args;
        va_start(args, format);
        vsnprintf(line + used, sizeof(line) - used - 1, format, args);
        va_end(args);
        used = strlen(line);
        line[used++] = '\n';
        /* One write, so that lines of several processes do not mix; there is nobody to tell if it
         * fails. */
        ssize_t written = write(STDERR_FILENO, line, used);
        (void)written;
    }
    errno = saved_errno;
}
