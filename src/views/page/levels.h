/*
 * Levels of detail of a timeline. A row has boxes, which do not overlap, in the order of time.
 *
 * A box is one slice, or several slices that stand too close to be distinguished. Such a box lasts
 * from the begin of the first to the end of the last. A merged box spans no more than the level's
 * resolution. Nothing is left out: the numbers of slices, their times and their waiting are equal
 * in all levels. Not thread-safe.
 */
#ifndef PINSIGHT_VIEWS_PAGE_LEVELS_H
#define PINSIGHT_VIEWS_PAGE_LEVELS_H

#include "views/page/pack.h"

#include <stddef.h>
#include <stdint.h>

/* The first resolution, in ns, when the finest level becomes coarser. */
#define PAGE_RESOLUTION_NS 1024

struct page_box {
    uint64_t begin_ns, end_ns;
    uint64_t busy_ns; /* time within slices */
    uint64_t away_ns; /* part of busy_ns in which the innermost slice waited, or had no processor */
    uint64_t top_ns;  /* part of busy_ns in slices of the node */
    uint32_t node;    /* calling context of the slice, or one with a large part of several slices */
    uint32_t count;   /* number of slices */
};

/* All zero is empty. */
struct page_row {
    struct page_box *boxes;
    size_t count, capacity;
};

/* Adds a box to a level with a resolution; 0 merges nothing. The box must not begin before the
 * previous box ends. */
void page_row_add(struct page_row *row, const struct page_box *box, uint64_t resolution_ns);

/* Merges the boxes of a row to a coarser resolution. */
void page_row_thin(struct page_row *row, uint64_t resolution_ns);

/* Returns a row of a coarser level, which the caller clears. */
struct page_row page_row_level(const struct page_row *row, uint64_t resolution_ns);

/* Adds a row's columns to the bytes, one after the other, because numbers of one kind compress
 * well. Times are differences, the first from `from_ns`. docs/page.md describes the form. */
void page_row_write(const struct page_row *row, uint64_t from_ns, struct page_bytes *bytes);

/* Merges the boxes of rows to coarser resolutions until the rows, as they are written, have at most
 * so many bytes. Returns the resolution, which stays the same if they have no more already. */
uint64_t page_rows_fit(struct page_row *rows, size_t count, uint64_t from_ns,
                       uint64_t resolution_ns, size_t bytes_most);

void page_row_clear(struct page_row *row);

#endif
