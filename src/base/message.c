/* One-line messages on stderr. */
#include "base/message.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 12288 };

static bool is_quiet;

size_t pinsight_message_line(char *line, size_t room, const char *format, va_list arguments) {
    const size_t start = sizeof(PINSIGHT_MESSAGE_PREFIX) - 1;
    char text[room];

    if (vsnprintf(text, sizeof(text), format, arguments) < 0)
        text[0] = '\0';
    memcpy(line, PINSIGHT_MESSAGE_PREFIX, start);
    size_t length = start + pinsight_utf8_clean(line + start, room - start - 1, text);
    line[length++] = '\n';
    return length;
}

void pinsight_message_write(int fd, const char *line, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t n = write(fd, line + done, length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
}

static void print(const char *format, va_list arguments) {
    char line[LINE_MAX_BYTES];
    int kept = errno;

    pinsight_message_write(STDERR_FILENO, line,
                           pinsight_message_line(line, sizeof(line), format, arguments));
    errno = kept;
}

void pinsight_error(const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

void pinsight_warning(const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

void pinsight_note(const char *format, ...) {
    va_list arguments;

    if (is_quiet)
        return;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

void pinsight_message_quiet(bool quiet) {
    is_quiet = quiet;
}
