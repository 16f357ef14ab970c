/*
 * The errors of a configuration: a bounded list of places and texts, which shows a user all
 * mistakes at once.
 */
#ifndef PINSIGHT_CONFIG_ERRORS_H
#define PINSIGHT_CONFIG_ERRORS_H

#include <stddef.h>

#define PINSIGHT_CONFIG_ERRORS_MAX 20
#define PINSIGHT_CONFIG_ERROR_ROOM 512

struct pinsight_config_errors {
    const char *path; /* the file's name in messages; the caller's text, or NULL */
    size_t count;     /* entries that are filled */
    size_t omitted;   /* errors beyond the list's end */
    struct pinsight_config_error {
        unsigned line, column; /* from 1, in characters; 0 without a place in a file */
        char text[PINSIGHT_CONFIG_ERROR_ROOM]; /* no final dot or newline */
    } list[PINSIGHT_CONFIG_ERRORS_MAX];
};

/* Adds an error, or counts it in omitted if the list is full. */
void pinsight_config_error(struct pinsight_config_errors *errors, unsigned line, unsigned column,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Writes "FILE:LINE:COLUMN: text" or "FILE: text" or "text" for entry `index`; returns `text`. */
const char *pinsight_config_error_text(const struct pinsight_config_errors *errors, size_t index,
                                       char *text, size_t room);

/* Room for a word in a message, in bytes. */
#define PINSIGHT_CONFIG_SHOWN_ROOM 64

/* Writes a word of a file for a message. Bytes that are unsafe on a terminal become \xNN; a long
 * word is cut off with "...". Returns `shown`, which has PINSIGHT_CONFIG_SHOWN_ROOM bytes. */
const char *pinsight_config_shown(const char *word, size_t length, char *shown);

#endif
