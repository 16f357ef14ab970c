/*
 * Messages of the preloaded library: one line on stderr, once in a run.
 */
#include "preload.h"

#include "base/message.h"
#include "base/reported.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool have_stderr;

void pinsight_message_ready(void) {
    int saved_errno = errno;
    have_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;
    errno = saved_errno;
}

static void print(const char *topic, bool loud, const char *format, va_list args) {
    const size_t start = sizeof(PINSIGHT_MESSAGE_PREFIX) - 1;
    int saved_errno = errno;
    bool reported;
    /* Many processes of a run may have the same message. The first that makes the mark in the
     * output folder writes the message, and leaves it there for the summary. The leading dot hides
     * the mark from readers of the trace. */
    int mark = pinsight_reported_mark(secure_getenv("PINSIGHT_OUTPUT"), topic, &reported);
    if (!reported) {
        char line[2048];
        size_t length = pinsight_message_line(line, sizeof(line), format, args);
        if (mark != -1) {
            pinsight_message_write(mark, line + start, length - start);
            close(mark);
        }
        if (loud && have_stderr) {
            pinsight_message_write(STDERR_FILENO, line, length);
        }
    }
    errno = saved_errno;
}

void pinsight_message_once(const char *topic, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print(topic, true, format, args);
    va_end(args);
}

void pinsight_note_once(const char *topic, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print(topic, !secure_getenv("PINSIGHT_QUIET"), format, args);
    va_end(args);
}
