/* Names for forms whose text is lines; see escape.h. */
#include "base/escape.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many bytes text begins with that stay as they are. */
static size_t plain(const char *text, const char *avoid) {
    uint32_t point;
    int length = pinsight_utf8_decode(text, &point);

    if (!length || !pinsight_utf8_is_printable(point) || (length == 1 && strchr(avoid, *text)))
        return 0;
    return (size_t)length;
}

char *pinsight_escape(const char *text, const char *avoid) {
    char *escaped = pinsight_calloc(4 * strlen(text) + 1, 1), *to = escaped;

    while (*text) {
        size_t length = plain(text, avoid);
        uint32_t point;

        if (length) {
            memcpy(to, text, length);
            to += length;
            text += length;
            continue;
        }
        length = (size_t)pinsight_utf8_decode(text, &point); /* 0 for a byte that is none */
        do
            to += sprintf(to, "\\x%02x", (unsigned char)*text++);
        while (length-- > 1);
    }
    *to = 0;
    return escaped;
}
