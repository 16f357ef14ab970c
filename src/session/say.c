/* One-line messages on stderr. */
#include "session/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int say_quiet;

static void say_line(const char *format, va_list arguments) {
    static const char prefix[] = "pinsight: ";
    char line[6144];
    int kept = errno;
    size_t used = sizeof(prefix) - 1;

    memcpy(line, prefix, used);
    int wanted = vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
    if (wanted > 0) {
        used += (size_t)wanted < sizeof(line) - used - 1 ? (size_t)wanted : sizeof(line) - used - 2;
    }
    line[used++] = '\n';
    for (size_t done = 0; done < used;) {
        ssize_t n = write(STDERR_FILENO, line + done, used - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        done += (size_t)n;
    }
    errno = kept;
}

void pinsight_say(const char *format, ...) {
    if (say_quiet) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    say_line(format, arguments);
    va_end(arguments);
}

void pinsight_say_quietly(int quiet) {
    say_quiet = quiet;
}

void pinsight_complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_line(format, arguments);
    va_end(arguments);
}
