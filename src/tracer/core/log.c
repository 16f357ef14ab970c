/* PInsight's messages; see log.h. */
#include "tracer/core/log.h"

#include "base/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
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
    if (atomic_flag_test_and_set(&once->reported))
        return;
    const char *quiet = getenv("PINSIGHT_QUIET");
    if ((quiet && strcmp(quiet, "1") == 0) || atomic_load(&no_stderr))
        return;

    int saved = errno;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    size_t length = pinsight_message_line(line, sizeof line, format, arguments);
    va_end(arguments);
    pinsight_message_write(STDERR_FILENO, line, length);
    errno = saved;
}
