/*
 * What PInsight says to its user: one line on stderr that begins with "pinsight: ".
 *
 * A message says what happened, then what to do, without a final dot or newline; `format` is
 * printf's. Control characters and bytes that are not UTF-8 come out as \xNN and \u{NNNN}, because
 * a message may have names of a trace and of its files in it. A line is written by one write(2), so
 * that lines of several processes do not mix, and is cut off at 12 KiB. pinsight_error,
 * pinsight_warning and pinsight_note keep errno. Any thread, but no signal handler.
 */
#ifndef PINSIGHT_BASE_MESSAGE_H
#define PINSIGHT_BASE_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* What the command cannot do; it ends, or leaves that out. */
void pinsight_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What the user must know of a result: it is incomplete, or made otherwise than asked for. */
void pinsight_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What is good to know. Not said after pinsight_message_quiet(true). */
void pinsight_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pinsight_message_quiet(bool quiet);

#define PINSIGHT_MESSAGE_PREFIX "pinsight: "

/* Makes the line of a message, prefix and newline included, in `room` bytes (32 at least). Returns
 * its length. */
size_t pinsight_message_line(char *line, size_t room, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Writes a line that is ready to a descriptor; an error is ignored: there is nobody to tell. */
void pinsight_message_write(int fd, const char *line, size_t length);

#endif
