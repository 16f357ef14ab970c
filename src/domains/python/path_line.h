/*
 * The line tables of code objects, as the versions of CPython have them: bytes that never change,
 * so they are read without the GIL. The interpreter's own functions for it also look at what its
 * tracing makes and takes away. Pure.
 */
#ifndef PINSIGHT_PYTHON_PATH_LINE_H
#define PINSIGHT_PYTHON_PATH_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The next range; false at the table's end, or where the table is broken. */
typedef bool pinsight_line_next(struct pinsight_line_range *range);
pinsight_line_next pinsight_line_next_lnotab;    /* co_lnotab of 3.8 and 3.9 */
pinsight_line_next pinsight_line_next_linetable; /* co_linetable of 3.10 */
pinsight_line_next pinsight_line_next_locations; /* co_linetable of 3.11 and later */

/* The line of the instruction at `offset` (less than 0 is the first line); 0 without one. `range`
 * was begun. */
int32_t pinsight_line_find(struct pinsight_line_range *range, pinsight_line_next *next,
                           long offset);

/* Fill in the line of each of `count` instructions, 2 bytes each. `range` was begun. */
void pinsight_line_fill(struct pinsight_line_range *range, pinsight_line_next *next, int32_t *lines,
                        size_t count);

#endif
