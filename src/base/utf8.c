/* Decoding of UTF-8. */
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

int pinsight_utf8_decode(const char *text, uint32_t *point) {
    const unsigned char *at = (const unsigned char *)text;
    uint32_t value;
    int length;

    if (!at[0])
        return 0;
    if (at[0] < 0x80) {
        *point = at[0];
        return 1;
    }
    if (at[0] >= 0xc2 && at[0] <= 0xdf) {
        length = 2;
        value = at[0] & 0x1fu;
    } else if ((at[0] & 0xf0) == 0xe0) {
        length = 3;
        value = at[0] & 0x0fu;
    } else if (at[0] >= 0xf0 && at[0] <= 0xf4) {
        length = 4;
        value = at[0] & 0x07u;
    } else {
        return 0;
    }
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3fu);
    }
    if ((length == 3 && value < 0x800) || (length == 4 && (value < 0x10000 || value > 0x10ffff)) ||
        (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *point = value;
    return length;
}

struct range {
    uint32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t count, uint32_t point) {
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last)
            return true;
    return false;
}

#define IN(ranges, point) in_ranges(ranges, sizeof(ranges) / sizeof((ranges)[0]), point)

/* The common blocks; a rare character that is wider or narrower shifts a column and harms nothing
 * else. */
static const struct range wide[] = {
    {0x1100, 0x115f}, {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
    {0xa000, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};
static const struct range narrow[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};
static const struct range hidden[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c}, {0x200e, 0x200f},   {0x2028, 0x202e},
    {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe007f},
};

int pinsight_utf8_width(uint32_t point) {
    if (point < 0x300)
        return 1;
    if (IN(narrow, point))
        return 0;
    return IN(wide, point) ? 2 : 1;
}

bool pinsight_utf8_is_printable(uint32_t point) {
    return !(point < 0x20 || point >= 0x7f) || !IN(hidden, point);
}

size_t pinsight_utf8_clean(char *clean, size_t room, const char *text) {
    char *to = clean;

    while (*text) {
        if (*text >= ' ' && *text <= '~' && (size_t)(to - clean) + 1 < room) {
            *to++ = *text++;
            continue;
        }
        char shown[16];
        uint32_t point = (unsigned char)*text;
        int length = pinsight_utf8_decode(text, &point), size = length;

        if (length > 0 && pinsight_utf8_is_printable(point))
            memcpy(shown, text, (size_t)length);
        else
            size = sprintf(shown, point < 0x80 || !length ? "\\x%02x" : "\\u{%x}", point);
        if ((size_t)(to - clean) + (size_t)size >= room)
            break;
        memcpy(to, shown, (size_t)size);
        to += size;
        text += length ? length : 1;
    }
    *to = '\0';
    return (size_t)(to - clean);
}
