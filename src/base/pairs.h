/*
 * Lines `key value`, in datagrams and files: in a value, a newline is written \n and a backslash
 * \\. Nothing here allocates.
 */
#ifndef PINSIGHT_BASE_PAIRS_H
#define PINSIGHT_BASE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

/* Lines that are being written. */
struct pinsight_pairs_writer {
    char *text; /* the caller's; ends with a zero byte after every call */
    size_t used, room;
    bool full; /* a line was left out */
};

void pinsight_pairs_write(struct pinsight_pairs_writer *writer, char *text, size_t room);

/* Adds a line; a value that has no room for all of it is left out whole. `format` is printf's; the
 * formatted value may have 8 KiB, and is cut off there. */
void pinsight_pairs_put(struct pinsight_pairs_writer *writer, const char *key, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* Lines that are being read. */
struct pinsight_pairs_reader {
    char *at, *end;
};

/* Reads a text of any bytes, which is changed; text[length] must be writable. */
void pinsight_pairs_read(struct pinsight_pairs_reader *reader, char *text, size_t length);

/* The next line: its first word, and the rest of it, perhaps "", without escapes. Empty lines are
 * passed over. Both strings lie in the text. False at the end. */
bool pinsight_pairs_next(struct pinsight_pairs_reader *reader, const char **key,
                         const char **value);

#endif
