/* UTF-8 in text that may contain any bytes: decoding, and width on a terminal. */
#ifndef PINSIGHT_BASE_UTF8_H
#define PINSIGHT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the first character of text. Returns its length in bytes (1 to 4), or 0 at the end of the
 * text and for invalid UTF-8, which includes surrogates and overlong forms. */
int pinsight_utf8_decode(const char *text, uint32_t *point);

/* Returns the number of columns of a character on a terminal: 0, 1 or 2. */
int pinsight_utf8_width(uint32_t point);

/* Returns whether a character is safe on a terminal: it is not a control character, does not change
 * the direction of writing, and is not a line or paragraph separator. */
bool pinsight_utf8_is_printable(uint32_t point);

/* Copies a text into `room` bytes (at least 1) in a form that is safe on a terminal. Bytes that are
 * not UTF-8 become \xNN, and unprintable characters become \u{NNNN}. Cuts off before a character
 * that does not fit. Returns the length without the final zero byte. */
size_t pinsight_utf8_clean(char *clean, size_t room, const char *text);

#endif
