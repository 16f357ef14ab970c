/* Names for forms that want valid UTF-8; see escape.h. */
#include "base/escape.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static char *escape(const char *text, bool (*keep)(uint32_t point), const char *avoid) {
    char *escaped = pinsight_realloc(NULL, 4 * strlen(text) + 1, 1), *to = escaped;

    while (*text) {
        uint32_t point;
        int length = pinsight_utf8_decode(text, &point); /* 0 for a byte that is not UTF-8 */
        bool plain = length && (!keep || keep(point)) && !(length == 1 && strchr(avoid, *text));

        do
            if (plain)
                *to++ = *text++;
            else
                to += sprintf(to, "\\x%02x", (unsigned char)*text++);
        while (--length > 0);
    }
    *to = 0;
    return escaped;
}

char *pinsight_escape_if(const char *text, bool (*keep)(uint32_t point)) {
    return escape(text, keep, "");
}

char *pinsight_escape(const char *text, const char *avoid) {
    return escape(text, pinsight_utf8_is_printable, avoid);
}
