/* Line tables of code objects; see path_line.h. */
#include "domains/python/path_line.h"

#include <limits.h>
#include <string.h>

#define INSTRUCTION 2 /* bytes */

/* Additions wrap: a table may be anything that a program gave to code.replace(). */
static int32_t add(int32_t line, int32_t delta) {
    return (int32_t)((uint32_t)line + (uint32_t)delta);
}

static bool set(struct pinsight_line_range *range, long length, int32_t line) {
    range->start = range->end;
    range->end = length > LONG_MAX - range->end ? LONG_MAX : range->end + length;
    range->line = line > 0 ? line : 0;
    return true;
}

/* Pairs of bytes (Objects/lnotab_notes.txt): so many bytes of code on the line so far, then so many
 * lines on. What follows the last pair is on the last line. */
bool pinsight_line_next_lnotab(struct pinsight_line_range *range) {
    while (range->limit - range->at >= 2 && range->at[0] == 0) {
        range->computed = add(range->computed, (int8_t)range->at[1]);
        range->at += 2;
    }
    if (range->end == LONG_MAX)
        return false;
    if (range->limit - range->at < 2) {
        range->at = range->limit;
        return set(range, LONG_MAX, range->computed);
    }
    set(range, range->at[0], range->computed);
    range->computed = add(range->computed, (int8_t)range->at[1]);
    range->at += 2;
    return true;
}

/* Pairs of bytes (PEP 626): so many lines on, then so many bytes of code on that line; -128 is no
 * line. */
bool pinsight_line_next_linetable(struct pinsight_line_range *range) {
    if (range->limit - range->at < 2)
        return false;
    int8_t delta = (int8_t)range->at[1];
    if (delta != -128)
        range->computed = add(range->computed, delta);
    set(range, range->at[0], delta == -128 ? 0 : range->computed);
    range->at += 2;
    return true;
}

/* A number of six bits a byte, the lowest first; the lowest bit of all is its sign. */
static int32_t read_signed(struct pinsight_line_range *range) {
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

/* Entries of a byte with the top bit set and others without (Objects/locations.md): a form, and how
 * many instructions; how many lines on is in the form or a number after it; columns follow. */
bool pinsight_line_next_locations(struct pinsight_line_range *range) {
    enum { ONE_LINE = 10, ONE_LINE_LAST = 12, NONE = 15 };
    if (range->at >= range->limit)
        return false;
    unsigned head = *range->at++;
    int form = (int)(head >> 3 & 15);
    size_t columns = 1;
    if (form >= ONE_LINE) {
        columns = 0;
        if (form <= ONE_LINE_LAST) {
            range->computed = add(range->computed, form - ONE_LINE);
            columns = 2;
        } else if (form < NONE) {
            range->computed = add(range->computed, read_signed(range));
        }
    }
    range->at +=
        (size_t)(range->limit - range->at) < columns ? (size_t)(range->limit - range->at) : columns;
    while (range->at < range->limit && !(*range->at & 0x80))
        range->at++; /* columns that are numbers */
    return set(range, ((long)(head & 7) + 1) * INSTRUCTION, form == NONE ? 0 : range->computed);
}

int32_t pinsight_line_find(struct pinsight_line_range *range, pinsight_line_next *next,
                           long offset) {
    if (offset < 0)
        return range->computed > 0 ? range->computed : 0;
    while (next(range)) {
        if (range->end > offset)
            return range->line;
    }
    return 0;
}

void pinsight_line_fill(struct pinsight_line_range *range, pinsight_line_next *next, int32_t *lines,
                        size_t count) {
    memset(lines, 0, count * sizeof *lines);
    size_t i = 0;
    while (i < count && next(range)) {
        for (; i < count && (long)i * INSTRUCTION < range->end; i++)
            lines[i] = range->line;
    }
}
