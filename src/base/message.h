/*
 * Messages to the user: lines on stderr that begin with "pinsight: ".
 *
 * A message states what happened and then what to do, without a final dot or newline. `format` is
 * printf's. Control characters and bytes that are not UTF-8 are written as \u{NNNN} and \xNN,
 * because a message may contain names from a trace. Each line is one write(2), which keeps the
 * lines of several processes apart. A line is cut off at 12 KiB. pinsight_error, pinsight_warning
 * and pinsight_note preserve errno. Thread-safe, but not async-signal-safe.
 */
#ifndef PINSIGHT_BASE_MESSAGE_H
#define PINSIGHT_BASE_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Reports something that the command cannot do. The command ends, or continues without it. */
void pinsight_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports that a result is incomplete, or that it differs from the user's request. */
void pinsight_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports something useful. Prints nothing after pinsight_message_quiet(true). */
void pinsight_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pinsight_message_quiet(bool quiet);

#define PINSIGHT_MESSAGE_PREFIX "pinsight: "

/* Writes the line of a message, with prefix and newline, into `room` bytes (32 at least). Returns
 * the line's length. */
size_t pinsight_message_line(char *line, size_t room, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Writes a finished line to a descriptor. Errors are ignored, because no place is left to report
 * them. */
void pinsight_message_write(int fd, const char *line, size_t length);

#endif
