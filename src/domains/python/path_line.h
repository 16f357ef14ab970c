/*
 * The line tables of code objects, as the versions of CPython have them: bytes that never change,
 * so they are read without the GIL. The interpreter's own functions for it also look at what its
 * tracing makes and takes away. Pure.
 */
#ifndef PINSIGHT_PYTHON_PATH_LINE_H
#define PINSIGHT_PYTHON_PATH_LINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Instructions from `start` up to `end`, offsets in bytes, that belong to one line; 0 where they
 * belong to none. */
struct pinsight_line_range {
    long start, end;
    int32_t line;
    int32_t computed; /* what the next entry counts from */
    const unsigned char *at, *limit;
};

/* Begin to read a table; the first range comes with the first call of a `next`. */
static inline void pinsight_line_begin(struct pinsight_line_range *range,
                                       const unsigned char *table, size_t length,
                                       int32_t first_line) {
    *range =
        (struct pinsight_line_range){.computed = first_line, .at = table, .limit = table + length};
}

/* The next range; false at the table's end, or where the table is broken. All inline, so that the
 * readers below are made for one form. */
typedef bool pinsight_line_next(struct pinsight_line_range *range);

#define PINSIGHT_INSTRUCTION 2 /* bytes */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PINSIGHT_LITTLE_ENDIAN(number) (number)
#else
#define PINSIGHT_LITTLE_ENDIAN(number) __builtin_bswap64(number)
#endif

/* Additions wrap: a table may be anything that a program gave to code.replace(). */
static inline int32_t pinsight_line_add(int32_t line, int32_t delta) {
    return (int32_t)((uint32_t)line + (uint32_t)delta);
}

static inline bool pinsight_line_set(struct pinsight_line_range *range, long length, int32_t line) {
    range->start = range->end;
    range->end = length > LONG_MAX - range->end ? LONG_MAX : range->end + length;
    range->line = line > 0 ? line : 0;
    return true;
}

/* co_lnotab of 3.8 and 3.9: pairs of bytes (Objects/lnotab_notes.txt): so many bytes of code on the
 * line so far, then so many lines on. What follows the last pair is on the last line. */
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

/* co_linetable of 3.10: pairs of bytes (PEP 626): so many lines on, then so many bytes of code on
 * that line; -128 is no line. */
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

/* A number of six bits a byte, the lowest first; the lowest bit of all is its sign. */
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

/* To the next byte with the top bit set, or the end. */
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

/* co_linetable of 3.11 and later: entries of a byte with the top bit set and others without
 * (Objects/locations.md): a form, and how many instructions; how many lines on is in the form or a
 * number after it; columns follow. */
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

/* The line of the instruction at `offset` (less than 0 is the first line); 0 without one. `range`
 * was begun. */
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

/* Fill in the line of each of `count` instructions, 2 bytes each. `range` was begun. */
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
