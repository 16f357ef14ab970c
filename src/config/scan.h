/* A configuration as lines without comments, and pieces of lines that know where they stand. */
#ifndef PINSIGHT_CONFIG_SCAN_H
#define PINSIGHT_CONFIG_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* A part of one line, with its quotes. */
struct pinsight_config_piece {
    const char *text;
    size_t length;
    unsigned line, column; /* of its first character, from 1 */
};

/* What is left to read. Copy it to come back to a place. */
struct pinsight_config_reader {
    const char *at, *end;
    unsigned line; /* of the line that was read last */
};

/* A line that holds something: without comment and without blanks at both ends. */
struct pinsight_config_line {
    struct pinsight_config_piece piece;
    bool open_quote; /* the quote in `quote` is not closed; the piece ends before it */
    struct pinsight_config_piece quote;
};

/* Starts at the beginning of a text of any bytes, after a byte order mark. */
void pinsight_config_reader_start(struct pinsight_config_reader *reader, const char *text,
                                  size_t length);

/* The next line that holds something; false at the end. */
bool pinsight_config_reader_next(struct pinsight_config_reader *reader,
                                 struct pinsight_config_line *line);

/* The part of `piece` from byte `from` to before byte `to`, without blanks at both ends. */
struct pinsight_config_piece pinsight_config_part(struct pinsight_config_piece piece, size_t from,
                                                  size_t to);

/*
 * The first byte of `piece` from `from` on that is one of `letters`, outside quotes and
 * parentheses (an opening parenthesis itself is outside); the piece's length if there is none.
 */
size_t pinsight_config_find(struct pinsight_config_piece piece, size_t from, const char *letters);

/* Copies without quotes to `text`, which has room for piece.length + 1 bytes. Within double quotes,
 * a backslash takes the meaning from a double quote and a backslash. Returns the length. */
size_t pinsight_config_unquote(struct pinsight_config_piece piece, char *text);

/* The piece without the quotes around it, if it is one quoted word without a backslash. */
struct pinsight_config_piece pinsight_config_bare(struct pinsight_config_piece piece);

/* Is it this word, without regard to case? */
bool pinsight_config_is(struct pinsight_config_piece piece, const char *word);

#endif
