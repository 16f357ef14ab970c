/* Reading and writing of pairs; see pairs.h. */
#include "base/pairs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pinsight_pairs_write(struct pinsight_pairs_writer *writer, char *text, size_t room) {
    *writer = (struct pinsight_pairs_writer){.text = text, .room = room};
    if (room)
        text[0] = '\0';
}

void pinsight_pairs_put(struct pinsight_pairs_writer *writer, const char *key, const char *format,
                        ...) {
    char value[8192];
    va_list arguments;

    va_start(arguments, format);
    int n = vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    if (n < 0)
        value[0] = '\0';
    size_t length = strlen(key) + 2; /* plus the blank and the newline */
    for (const char *c = value; *c; c++)
        length += *c == '\n' || *c == '\\' ? 2 : 1;
    if (writer->used + length + 1 > writer->room) {
        writer->full = true;
        return;
    }
    char *at = stpcpy(writer->text + writer->used, key);
    *at++ = ' ';
    for (const char *c = value; *c; c++) {
        if (*c == '\n' || *c == '\\')
            *at++ = '\\';
        *at++ = *c == '\n' ? 'n' : *c;
    }
    *at++ = '\n';
    *at = '\0';
    writer->used += length;
}

void pinsight_pairs_read(struct pinsight_pairs_reader *reader, char *text, size_t length) {
    reader->at = text;
    reader->end = text + length;
    *reader->end = '\0';
}

/* Removes the escapes of a value in place. */
static void unescape(char *text) {
    char *to = text;

    for (; *text; text++) {
        if (*text == '\\' && text[1]) {
            text++;
            *to++ = *text == 'n' ? '\n' : *text;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
}

bool pinsight_pairs_next(struct pinsight_pairs_reader *reader, const char **key,
                         const char **value) {
    while (reader->at < reader->end) {
        char *line = reader->at;
        char *newline = memchr(line, '\n', (size_t)(reader->end - line));
        reader->at = newline ? newline + 1 : reader->end;
        if (newline)
            *newline = '\0';
        if (!*line)
            continue;
        char *blank = strchr(line, ' ');
        *key = line;
        if (!blank) {
            *value = "";
            return true;
        }
        *blank = '\0';
        unescape(blank + 1);
        *value = blank + 1;
        return true;
    }
    return false;
}
