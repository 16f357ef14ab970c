/*
 * The line tables of code objects, in the forms of CPython's versions. Their bytes never change, so
 * that they are read without the GIL. The interpreter's own functions also read data that its
 * tracing makes and removes. Calls nothing else.
 */
#ifndef PINSIGHT_RUNTIMES_LINE_TABLE_H
#define PINSIGHT_RUNTIMES_LINE_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Instructions from `start` to before `end` (offsets in bytes) that belong to one line; 0 if they
 * belong to none. */
struct pinsight_line_range {
    long start, end;
    int32_t line;
    int32_t computed; /* the base of the next entry */
    const unsigned char *at, *limit;
};

/* Begins to read a table. The first call of a `next` gives the first range. */
static inline void pinsight_line_begin(struct pinsight_line_range *range,
                                       const unsigned char *table, size_t length,
                                       int32_t first_line) {
    *range = (struct pinsight_line_range){
        .computed = first_line, .at = table, .limit = length ? table + length : table};
}

/* Moves to the next range. Returns false at the table's end, or if the table is broken. All are
 * inline, so that the functions below are compiled for one form. */
typedef bool pinsight_line_next(struct pinsight_line_range *range);

#define PINSIGHT_INSTRUCTION 2 /* in bytes */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PINSIGHT_LITTLE_ENDIAN(number) (number)
#else
#define PINSIGHT_LITTLE_ENDIAN(number) __builtin_bswap64(number)
#endif

/* Additions wrap, because code.replace() accepts any table from a program. */
static inline int32_t pinsight_line_add(int32_t line, int32_t delta) {
    return (int32_t)((uint32_t)line + (uint32_t)delta);
}

static inline bool pinsight_line_set(struct pinsight_line_range *range, long length, int32_t line) {
    range->start = range->end;
    range->end = length > LONG_MAX - range->end ? LONG_MAX : range->end + length;
    range->line = line > 0 ? line : 0;
    return true;
}

/* co_lnotab of 3.8 and 3.9: pairs of bytes (Objects/lnotab_notes.txt). The first is the number of
 * bytes of code on the current line, the second the difference to the next line. Code after the
 * last pair is on the last line. */
static inline bool pinsight_line_next_lnotab(struct pinsight_line_range *range) {
    while (range->limit - range->at >= 2 && range->at[0] == 0) {
        range->computed = pinsight_line_add(range->computed, (int8_t)range->at[1]);
        range->at += 2;
    }
    if (range->end == LONG_MAX)
        return false;
    if (range->limit - range->at < 2) {
        range->at = range->limit;
        return pinsight_line_set(range, LONG_MAX, range->computed);
    }
    pinsight_line_set(range, range->at[0], range->computed);
    range->computed = pinsight_line_add(range->computed, (int8_t)range->at[1]);
    range->at += 2;
    return true;
}

/* co_linetable of 3.10: pairs of bytes (PEP 626). The first is the difference to the next line, the
 * second the number of bytes of code on that line; -128 means no line. */
static inline bool pinsight_line_next_linetable(struct pinsight_line_range *range) {
    if (range->limit - range->at < 2)
        return false;
    int8_t delta = (int8_t)range->at[1];
    if (delta != -128)
        range->computed = pinsight_line_add(range->computed, delta);
    pinsight_line_set(range, range->at[0], delta == -128 ? 0 : range->computed);
    range->at += 2;
    return true;
}

/* Reads a number of six bits a byte, the lowest bits first. The lowest bit of the number is its
 * sign. */
static inline int32_t pinsight_line_read(struct pinsight_line_range *range) {
    uint32_t number = 0;
    for (unsigned shift = 0; range->at < range->limit && shift < 32; shift += 6) {
        unsigned byte = *range->at;
        if (byte & 0x80)
            break;
        range->at++;
        number |= (byte & 63) << shift;
        if (!(byte & 64))
            break;
    }
    return number & 1 ? -(int32_t)(number >> 1) : (int32_t)(number >> 1);
}

/* Moves to the next byte with the top bit set, or to the end. */
static inline void pinsight_line_skip(struct pinsight_line_range *range) {
    uint64_t bytes;
    if (__builtin_expect(range->limit - range->at >= (ptrdiff_t)sizeof bytes, 1)) {
        memcpy(&bytes, range->at, sizeof bytes);
        bytes = PINSIGHT_LITTLE_ENDIAN(bytes) & 0x8080808080808080u;
        if (__builtin_expect(bytes != 0, 1)) {
            range->at += __builtin_ctzll(bytes) / 8;
            return;
        }
        range->at += sizeof bytes;
    }
    while (range->at < range->limit && !(*range->at & 0x80))
        range->at++;
}

/* co_linetable of 3.11 and later (Objects/locations.md). An entry is a byte with the top bit set
 * and bytes without. The first byte has a form and the number of instructions. The difference to
 * the next line is in the form, or in a number after it. Columns follow. */
static inline bool pinsight_line_next_locations(struct pinsight_line_range *range) {
    enum { ONE_LINE = 10, NO_COLUMN = 13, LONG = 14, NONE = 15 };
    if (range->at >= range->limit)
        return false;
    unsigned head = *range->at++;
    unsigned form = head >> 3 & 15;
    int32_t delta = 0;
    if (__builtin_expect(form == LONG || form == NO_COLUMN, 0))
        delta = pinsight_line_read(range);
    else if (form > ONE_LINE && form < NO_COLUMN)
        delta = (int32_t)form - ONE_LINE;
    pinsight_line_skip(range);
    range->computed = pinsight_line_add(range->computed, delta);
    return pinsight_line_set(range, ((long)(head & 7) + 1) * PINSIGHT_INSTRUCTION,
                             form == NONE ? 0 : range->computed);
}

/* Returns the line of the instruction at `offset`, or 0 if it has none. A negative offset stands
 * for the first line. `range` has been begun. */
static inline int32_t pinsight_line_find(struct pinsight_line_range *range,
                                         pinsight_line_next *next, long offset) {
    if (offset < 0)
        return range->computed > 0 ? range->computed : 0;
    while (next(range)) {
        if (range->end > offset)
            return range->line;
    }
    return 0;
}

/* Returns the next eight bytes, the first one lowest; 0 after the table's end. */
static inline uint64_t pinsight_line_bytes(const unsigned char *table, const unsigned char *at,
                                           const unsigned char *limit) {
    uint64_t bytes = 0;
    if (__builtin_expect(limit - at >= (ptrdiff_t)sizeof bytes, 1)) {
        memcpy(&bytes, at, sizeof bytes);
        return PINSIGHT_LITTLE_ENDIAN(bytes);
    }
    if (__builtin_expect(limit - table >= (ptrdiff_t)sizeof bytes, 1)) {
        memcpy(&bytes, limit - sizeof bytes, sizeof bytes);
        return PINSIGHT_LITTLE_ENDIAN(bytes) >> 8 * ((ptrdiff_t)sizeof bytes - (limit - at));
    }
    for (int i = 0; i < limit - at; i++)
        bytes |= (uint64_t)at[i] << 8 * i;
    return bytes;
}

/* Returns the line difference of the entry that begins at `head`, whose form is 11 or higher. */
static inline int32_t pinsight_line_delta(const unsigned char *head, const unsigned char *limit) {
    enum { ONE_LINE = 10, NO_COLUMN = 13, NONE = 15 };
    int32_t form = *head >> 3 & 15;
    struct pinsight_line_range number = {.at = head + 1, .limit = limit};
    if (form < NO_COLUMN)
        return form - ONE_LINE;
    return form == NONE ? 0 : pinsight_line_read(&number);
}

/* Like pinsight_line_find() with pinsight_line_next_locations(), eight bytes of the table at a
 * time. Each entry begins with a byte with the top bit set, except that the table's first byte need
 * not have it. */
static inline int32_t pinsight_line_find_location(const struct pinsight_line_range *range,
                                                  long offset) {
    const uint64_t each = 0x0101010101010101u, tops = 0x80 * each;
    const unsigned char *limit = range->limit;
    long left = offset / PINSIGHT_INSTRUCTION;
    int32_t line = range->computed;
    uint64_t first = 0x80;
    if (offset < 0)
        return line > 0 ? line : 0;
    for (const unsigned char *at = range->at; at < limit; at += sizeof first, first = 0) {
        uint64_t bytes = pinsight_line_bytes(range->at, at, limit) | first;
        uint64_t begins = bytes >> 7 & each, heads = bytes & begins * 0xff;
        /* In each byte: the number of instructions in entries that begin up to there. */
        uint64_t sums = ((heads & 7 * each) + begins) * each;
        long all = (long)(sums >> 56);
        uint64_t until = ~(uint64_t)0, form = 0;
        if (left < all) {
            int top = __builtin_ctzll((sums + (uint64_t)(127 - left) * each) & tops);
            until >>= 63 - top;
            form = heads >> (top - 7) & 0x78;
        }
        /* Entries up to there that may have another line than the entry before. */
        uint64_t others = ((heads & 0x78 * each) + (0x80 - 0x58) * each) & tops & until;
        for (; others; others &= others - 1)
            line = pinsight_line_add(line,
                                     pinsight_line_delta(at + __builtin_ctzll(others) / 8, limit));
        if (left < all)
            return form == 0x78 || line < 0 ? 0 : line;
        left -= all;
    }
    return 0;
}

/* Fills in the line of each of `count` instructions of 2 bytes. `range` has been begun. */
static inline void pinsight_line_fill(struct pinsight_line_range *range, pinsight_line_next *next,
                                      int32_t *lines, size_t count) {
    memset(lines, 0, count * sizeof *lines);
    size_t i = 0;
    while (i < count && next(range)) {
        for (; i < count && (long)i * PINSIGHT_INSTRUCTION < range->end; i++)
            lines[i] = range->line;
    }
}

#endif
