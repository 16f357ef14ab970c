/* Lexical scanning of a configuration: lines without comments, and pieces of lines with their
 * positions. */
#ifndef PINSIGHT_CONFIG_SCAN_H
#define PINSIGHT_CONFIG_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* A part of one line, with its quotes. */
struct pinsight_config_piece {
    const char *text;
    size_t length;
    unsigned line, column; /* position of its first character, from 1 */
};

/* The position of a reader. Copying back an earlier copy returns to its position. */
struct pinsight_config_reader {
    const char *at, *end;
    unsigned line; /* the line that was read last */
};

/* A line with content, without its comment and without blanks at both ends. */
struct pinsight_config_line {
    struct pinsight_config_piece piece;
    bool open_quote; /* the quote in `quote` is not closed; the piece ends before it */
    struct pinsight_config_piece quote;
};

/* Starts to read a text of any bytes, after a byte order mark if there is one. */
void pinsight_config_reader_start(struct pinsight_config_reader *reader, const char *text,
                                  size_t length);

/* Reads the next line with content. Returns false at the end. */
bool pinsight_config_reader_next(struct pinsight_config_reader *reader,
                                 struct pinsight_config_line *line);

/* Returns the bytes [from, to) of `piece`, without blanks at both ends. */
struct pinsight_config_piece pinsight_config_part(struct pinsight_config_piece piece, size_t from,
                                                  size_t to);

/*
 * Returns the index of the first byte of `piece`, from `from` on, that is one of `letters` and lies
 * outside quotes and parentheses. An opening parenthesis itself is outside. Returns the piece's
 * length if there is no such byte.
 */
size_t pinsight_config_find(struct pinsight_config_piece piece, size_t from, const char *letters);

/* Copies a piece without its quotes to `text`, which has room for piece.length + 1 bytes. Within
 * double quotes, a backslash escapes a double quote and a backslash. Returns the length. */
size_t pinsight_config_unquote(struct pinsight_config_piece piece, char *text);

/* Returns the piece without its quotes if it is one quoted word without a backslash. Otherwise
 * returns the piece unchanged. */
struct pinsight_config_piece pinsight_config_bare(struct pinsight_config_piece piece);

/* Returns whether the piece is this word, ignoring case. */
bool pinsight_config_is(struct pinsight_config_piece piece, const char *word);

#endif
