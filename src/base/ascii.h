/* Output for screens whose character set is not UTF-8: signs of PInsight become similar ASCII
 * signs, and other characters become their numbers. Data for programs (JSON, CSV, exports) is
 * always UTF-8 and does not pass through here. Not thread-safe. */
#ifndef PINSIGHT_BASE_ASCII_H
#define PINSIGHT_BASE_ASCII_H

#include <stdbool.h>
#include <stdio.h>

/* Returns whether the environment names a character set other than UTF-8. A locale without a
 * character set counts as UTF-8, except "C" and "POSIX". */
bool pinsight_ascii_wanted(void);

/* Returns a copy of the text in ASCII, which the caller frees. */
char *pinsight_ascii(const char *text);

/* Returns the text as the screen can show it: the text itself, or its ASCII form where ASCII is
 * wanted. Takes ownership of `text`; the caller frees the result. */
char *pinsight_ascii_shown(char *text);

/* Returns a stream that writes to `out` in ASCII, or `out` itself if ASCII is not wanted. Only one
 * such stream can be open. pinsight_ascii_close() takes the same arguments and returns 0, or -1
 * with errno if a write failed. */
FILE *pinsight_ascii_open(FILE *out);
int pinsight_ascii_close(FILE *screen, FILE *out);

/* Returns the stream below an open one, which may be a terminal. Returns any other stream
 * unchanged. */
FILE *pinsight_ascii_behind(FILE *screen);

#endif
