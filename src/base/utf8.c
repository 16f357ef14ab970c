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
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (point > ranges[middle].last)
            low = middle + 1;
        else if (point < ranges[middle].first)
            count = middle;
        else
            return true;
    }
    return false;
}

#define IN(ranges, point) in_ranges(ranges, sizeof(ranges) / sizeof((ranges)[0]), point)

/* The characters that Unicode 17 calls wide or full-width, in their order. Terminals give each of
 * them two columns; one that is counted as one makes its row wrap. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2630, 0x2637},   {0x2648, 0x2653},   {0x267f, 0x267f},   {0x268a, 0x268f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},
    {0x26c4, 0x26c5},   {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},
    {0x26f2, 0x26f3},   {0x26f5, 0x26f5},   {0x26fa, 0x26fa},   {0x26fd, 0x26fd},
    {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},   {0x274c, 0x274c},
    {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},
    {0x2b55, 0x2b55},   {0x2e80, 0x3029},   {0x3030, 0x303e},   {0x3041, 0x3096},
    {0x309b, 0x3247},   {0x3250, 0xa4c6},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x16fe4}, {0x16ff2, 0x18df2}, {0x1aff0, 0x1b2fb},
    {0x1d300, 0x1d376}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e},
    {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c},
    {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0},
    {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc},
    {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a},
    {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5},
    {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6df}, {0x1f6eb, 0x1f6ec},
    {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945},
    {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faf8}, {0x20000, 0x3fffd},
};
/* The common blocks. A rare character that is missing here leaves a column free. */
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
