/* ASCII output for screens; see ascii.h. */
#include "base/ascii.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Room for the longest replacement of one character. */
#define LONGEST 12

static const struct {
    uint32_t point;
    const char *ascii;
} signs[] = {
    {0xb5, "u"},     /* micro, of units */
    {0xb7, "-"},     /* between the parts of a line */
    {0xd7, "x"},     /* times */
    {0x2022, "*"},   /* before a line of a list */
    {0x2026, "..."}, /* something is left out */
    {0x2192, "->"},  /* leads to */
    {0x2265, ">="},  /* at least */
    {0x2502, "|"},   /* branches of a tree */
    {0x2514, "`"},   {0x251c, "|"},
};

bool pinsight_ascii_wanted(void) {
    /* POSIX.1-2017 section 8.2: the first of these that is set and not empty. */
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        const char *set;

        if (!value || !value[0])
            continue;
        set = strchr(value, '.');
        if (!set)
            return !strcmp(value, "C") || !strcmp(value, "POSIX");
        return strncasecmp(set, ".utf8", 5) != 0 && strncasecmp(set, ".utf-8", 6) != 0;
    }
    return false;
}

/* Writes the replacement of a character. `length` is 0 for a byte that is not UTF-8. Returns the
 * number of bytes written. */
static int put(char to[LONGEST], uint32_t point, int length) {
    for (size_t i = 0; length && i < sizeof(signs) / sizeof(signs[0]); i++)
        if (signs[i].point == point)
            return sprintf(to, "%s", signs[i].ascii);
    return sprintf(to, length ? "\\u{%x}" : "\\x%02x", point);
}

/* Converts `size` bytes into `to`, which has room for LONGEST bytes for each. Returns the length of
 * the result. If `left` is not NULL, an incomplete character at the end is not converted, and *left
 * is its number of bytes. */
static size_t convert(char *to, const char *text, size_t size, size_t *left) {
    char *const begin = to;
    size_t at = 0;

    while (at < size) {
        char whole[5] = "";
        uint32_t point = (unsigned char)text[at];
        size_t most = size - at < 4 ? size - at : 4;
        int length;

        if (point < 0x80) {
            *to++ = text[at++];
            continue;
        }
        memcpy(whole, text + at, most);
        length = pinsight_utf8_decode(whole, &point);
        if (!length && left && size - at < 4)
            break;
        to += put(to, point, length);
        at += length ? (size_t)length : 1;
    }
    if (left)
        *left = size - at;
    return (size_t)(to - begin);
}

char *pinsight_ascii(const char *text) {
    size_t size = strlen(text);
    char *ascii = pinsight_realloc(NULL, size * LONGEST + 1, 1);

    ascii[convert(ascii, text, size, NULL)] = '\0';
    return ascii;
}

char *pinsight_ascii_shown(char *text) {
    char *ascii;

    if (!pinsight_ascii_wanted())
        return text;
    ascii = pinsight_ascii(text);
    free(text);
    return ascii;
}

/* The open stream, and the bytes of a character whose rest has not been written yet. */
static struct {
    FILE *screen, *out;
    char left[4];
    size_t left_size;
} the;

static ssize_t write_ascii(void *cookie, const char *data, size_t size) {
    size_t all = the.left_size + size, length;
    char *text = pinsight_realloc(NULL, all + 1, 1);
    char *ascii = pinsight_realloc(NULL, all * LONGEST + 1, 1);

    (void)cookie;
    memcpy(text, the.left, the.left_size);
    memcpy(text + the.left_size, data, size);
    length = convert(ascii, text, all, &the.left_size);
    memcpy(the.left, text + all - the.left_size, the.left_size);
    if (fwrite(ascii, 1, length, the.out) < length || fflush(the.out) != 0)
        size = 0;
    PINSIGHT_FREE(text, ascii);
    return (ssize_t)size;
}

FILE *pinsight_ascii_open(FILE *out) {
    static const cookie_io_functions_t functions = {.write = write_ascii};

    if (!pinsight_ascii_wanted())
        return out;
    the.screen = fopencookie(NULL, "w", functions);
    the.out = out;
    the.left_size = 0;
    return the.screen ? the.screen : out;
}

int pinsight_ascii_close(FILE *screen, FILE *out) {
    bool is_written = true;

    if (screen != out) {
        is_written = fclose(screen) == 0;
        for (size_t i = 0; i < the.left_size; i++)
            fprintf(out, "\\x%02x", (unsigned char)the.left[i]);
        the.screen = the.out = NULL;
        the.left_size = 0;
    }
    return fflush(out) == 0 && !ferror(out) && is_written ? 0 : -1;
}

FILE *pinsight_ascii_behind(FILE *screen) {
    return screen && screen == the.screen ? the.out : screen;
}
