/* Names that may be any bytes, for forms whose text is lines. */
#ifndef PINSIGHT_BASE_ESCAPE_H
#define PINSIGHT_BASE_ESCAPE_H

/* Valid UTF-8 on one line, in new memory: bytes that are none, characters that a terminal cannot be
 * shown (see utf8.h) and those of `avoid` (ASCII) come out as \xNN, byte for byte. */
char *pinsight_escape(const char *text, const char *avoid);

#endif
