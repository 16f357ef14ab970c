/* Names that may be any bytes, for forms whose text is lines. */
#ifndef PINSIGHT_BASE_ESCAPE_H
#define PINSIGHT_BASE_ESCAPE_H

/* Returns a copy of `text` as valid UTF-8 on one line; the caller frees it. Invalid bytes,
 * characters that are unsafe on a terminal (utf8.h) and the ASCII characters in `avoid` are written
 * as \xNN, byte for byte. */
char *pinsight_escape(const char *text, const char *avoid);

#endif
