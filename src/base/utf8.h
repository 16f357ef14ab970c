/* Text that may be any bytes: decoding, and how wide it is on a screen. */
#ifndef PINSIGHT_BASE_UTF8_H
#define PINSIGHT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the character that text starts with. Returns its length in bytes (1 to 4), or 0 where the
 * bytes are no valid UTF-8 (surrogates and overlong forms are not valid) or text is at its end. */
int pinsight_utf8_decode(const char *text, uint32_t *point);

/* Columns that a character takes on a terminal: 0, 1 or 2. */
int pinsight_utf8_width(uint32_t point);

/* Whether a terminal can be shown a character: no control, no change of the direction of writing,
 * no line or paragraph separator. */
bool pinsight_utf8_is_printable(uint32_t point);

/* Copies a text into `room` bytes (1 at least) as it is safe on a terminal: bytes that are not
 * UTF-8 and characters that are not printable stand as \xNN or \u{NNNN}. Cut off before a character
 * that does not fit. Returns the length without the ending zero. */
size_t pinsight_utf8_clean(char *clean, size_t room, const char *text);

#endif
