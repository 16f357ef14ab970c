/* Makes selectors of one region; see lexgion.h. */
#include "views/report/lexgion.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* These characters have a meaning in a header, or to its readers, and need quotes. */
static const char special[] = "#;,'\"()[]=\\ ";
static const char wildcards[] = "*?[\\";

static bool can_stand_in_a_file(const char *text) {
    while (*text) {
        uint32_t point;
        int length = pinsight_utf8_decode(text, &point);

        if (!length || point < 0x20 || point == 0x7f)
            return false;
        text += length;
    }
    return true;
}

/* Appends a text whose characters stand for themselves. A colon in a name becomes a wildcard,
 * because it would count as the separator. */
static char *put_letters(char *to, const char *text, bool is_name) {
    for (; *text; text++) {
        if (strchr(wildcards, *text))
            *to++ = '\\';
        *to++ = is_name && *text == ':' ? '?' : *text;
    }
    *to = '\0';
    return to;
}

/* Returns the selector of a domain and a region, in quotes if necessary. Takes over the region. The
 * caller frees the selector. */
static char *put_domain(const char *domain, char *region) {
    char *selector = pinsight_realloc(NULL, 2 * strlen(region) + strlen(domain) + 4, 1);
    char *to = selector + strlen(strcpy(selector, domain));

    if (!strpbrk(region, special)) {
        strcpy(to, region);
        free(region);
        return selector;
    }
    *to++ = '"';
    for (const char *from = region; *from; from++) {
        if (*from == '"' || *from == '\\')
            *to++ = '\\';
        *to++ = *from;
    }
    strcpy(to, "\"");
    free(region);
    return selector;
}

char *pinsight_lexgion_native(const char *domain, const char *object, uint64_t offset) {
    char *letters, *region, *start, *selector;

    if (!object[0] || !can_stand_in_a_file(object))
        return NULL;
    letters = pinsight_realloc(NULL, 2 * strlen(object) + 1, 1);
    put_letters(letters, object, false);
    region = pinsight_format("%s+0x%" PRIx64, letters, offset);
    start = pinsight_format("%s:", domain);
    selector = put_domain(start, region);
    free(start);
    free(letters);
    return selector;
}

char *pinsight_lexgion_selector(const char *file, const char *name) {
    size_t length = (file ? strlen(file) : 1) + strlen(name);
    char *region, *to;

    if (!name[0] || (file && !file[0]) || !can_stand_in_a_file(name) ||
        (file && !can_stand_in_a_file(file)))
        return NULL;
    region = pinsight_realloc(NULL, 2 * length + 8, 1);
    to = put_letters(region, file ? file : "c", false);
    *to++ = ':';
    put_letters(to, name, file != NULL);
    return put_domain("Python:", region);
}
