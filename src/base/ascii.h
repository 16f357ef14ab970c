/* Screens whose character set is not UTF-8. What is drawn there is ASCII: signs of this program are
 * replaced by similar ones, other characters by their numbers. Data for programs (JSON, CSV,
 * exports) is UTF-8 everywhere and takes no part in this. Not thread-safe. */
#ifndef PINSIGHT_BASE_ASCII_H
#define PINSIGHT_BASE_ASCII_H

#include <stdbool.h>
#include <stdio.h>

/* Whether the environment names a character set that is not UTF-8. A locale that names none has
 * UTF-8, except "C" and "POSIX". */
bool pinsight_ascii_wanted(void);

/* Returns a text in ASCII; the caller frees it. */
char *pinsight_ascii(const char *text);

/* Returns what stands on the screen for a text: the text itself, or where ASCII is wanted another
 * in its place. Takes the text over; the caller frees the result. */
char *pinsight_ascii_shown(char *text);

/* Returns a stream whose text is written to `out`, in ASCII where that is wanted; else `out`. One
 * at a time. To be closed with the same arguments: returns 0, or -1 with errno set where something
 * could not be written. */
FILE *pinsight_ascii_open(FILE *out);
int pinsight_ascii_close(FILE *screen, FILE *out);

/* Returns the stream that an open one writes to, which may be a terminal; else the same. */
FILE *pinsight_ascii_behind(FILE *screen);

#endif
