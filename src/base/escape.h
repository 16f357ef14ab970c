/* Names of arbitrary bytes, for formats that need valid UTF-8. */
#ifndef PINSIGHT_BASE_ESCAPE_H
#define PINSIGHT_BASE_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns a copy of `text` as valid UTF-8; the caller frees it. Invalid bytes and characters for
 * which `keep` is false (NULL keeps all) are written as \xNN, byte for byte. */
char *pinsight_escape_if(const char *text, bool (*keep)(uint32_t point));

/* Like pinsight_escape_if(), and always on one line. Escapes characters that are unsafe on a
 * terminal (utf8.h) and the ASCII characters in `avoid`. */
char *pinsight_escape(const char *text, const char *avoid);

#endif
