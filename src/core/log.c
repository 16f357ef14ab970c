/* What PInsight says about itself; see log.h. */
#include "core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic bool no_stderr;

void pinsight_log_without_stderr(void) {
    atomic_store(&no_stderr, true);
}

bool pinsight_log_has_stderr(void) {
    return !atomic_load(&no_stderr);
}

void pinsight_log_once(struct pinsight_log_once *once, const char *format, ...) {
    if (atomic_flag_test_and_set(&once->said))
        return;
    const char *quiet = getenv("PINSIGHT_QUIET");
    if ((quiet && strcmp(quiet, "1") == 0) || atomic_load(&no_stderr))
        return;

    int saved = errno;
    char text[1024] = "pinsight: ";
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + used, sizeof text - used - 1, format, arguments);
    va_end(arguments);
    if (length > 0) {
        size_t room = sizeof text - used - 2;
        used += (size_t)length < room ? (size_t)length : room;
        text[used++] = '\n';
        /* One write, so that lines of several processes do not mix. Nothing can be done if it
         * fails. */
        ssize_t written = write(STDERR_FILENO, text, used);
        (void)written;
    }
    errno = saved;
}
