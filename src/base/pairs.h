/*
 * Pairs: lines `key value` in datagrams and files. In a value, a newline is written as \n and a
 * backslash as \\. No function here allocates.
 */
#ifndef PINSIGHT_BASE_PAIRS_H
#define PINSIGHT_BASE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

/* State of a writer. */
struct pinsight_pairs_writer {
    char *text; /* the caller's memory; ends with a zero byte after every call */
    size_t used, room;
    bool full; /* a line was omitted */
};

void pinsight_pairs_write(struct pinsight_pairs_writer *writer, char *text, size_t room);

/* Adds a line. If the whole line does not fit, it is omitted. `format` is printf's; a formatted
 * value is cut off at 8 KiB. */
void pinsight_pairs_put(struct pinsight_pairs_writer *writer, const char *key, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* State of a reader. */
struct pinsight_pairs_reader {
    char *at, *end;
};

/* Starts to read a text of any bytes. The reader changes the text; text[length] must be writable.
 */
void pinsight_pairs_read(struct pinsight_pairs_reader *reader, char *text, size_t length);

/* Gives the next line: its first word, and the rest without escapes, which may be "". Empty lines
 * are skipped. Both strings lie in the text. Returns false at the end. */
bool pinsight_pairs_next(struct pinsight_pairs_reader *reader, const char **key,
                         const char **value);

#endif
