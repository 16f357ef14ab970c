/* Selectors that mean one region. */
#include "views/lexgion.h"

#include "reader/mem.h"
#include "views/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* These mean something in a header, or to those who read it, so that they want quotes. */
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

/* Appends text so that each letter stands for itself. A colon in a name would be taken for the one
 * before it. */
static char *put_letters(char *to, const char *text, bool is_name) {
    for (; *text; text++) {
        if (strchr(wildcards, *text))
            *to++ = '\\';
        *to++ = is_name && *text == ':' ? '?' : *text;
    }
    *to = '\0';
    return to;
}

char *pinsight_lexgion_selector(const char *file, const char *name) {
    size_t length = (file ? strlen(file) : 1) + strlen(name);
    char *region, *selector, *to;

    if (!name[0] || (file && !file[0]) || !can_stand_in_a_file(name) ||
        (file && !can_stand_in_a_file(file)))
        return NULL;
    region = pinsight_realloc(NULL, 2 * length + 8, 1);
    to = put_letters(region, file ? file : "c", false);
    *to++ = ':';
    put_letters(to, name, file != NULL);
    selector = pinsight_realloc(NULL, 4 * length + 32, 1);
    to = selector + strlen(strcpy(selector, "Python:"));
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
