/* Levels of detail of a timeline: boxes of one row, which do not overlap, in the order of time.
 *
 * A box is a slice; or, where several stood so close together that nobody could tell them apart,
 * all of these: from the begin of the first to the end of the last. A level has a resolution:
 * what is merged in it spans no more. Nothing is left out: the numbers of slices, their times and
 * their waiting are the same in each level. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_PAGE_LEVELS_H
#define PINSIGHT_VIEWS_PAGE_LEVELS_H

#include <stddef.h>
#include <stdint.h>

struct page_box {
    uint64_t begin_ns, end_ns;
    uint64_t busy_ns; /* of the time between: in slices */
    uint64_t away_ns; /* of that: the innermost of these waited, or had no processor */
    uint64_t top_ns;  /* of busy_ns: in slices of the node */
    uint32_t node;    /* of the calling contexts: that of the slice; of several, of a large part */
    uint32_t count;   /* slices */
};

/* All zero is empty. */
struct page_row {
    struct page_box *boxes;
    size_t count, capacity;
};

/* Adds a box, which begins when the one before has ended or later, to a level of a resolution; 0
 * merges nothing. */
void page_row_add(struct page_row *row, const struct page_box *box, uint64_t resolution_ns);

/* Merges what a row has, for a coarser resolution. */
void page_row_thin(struct page_row *row, uint64_t resolution_ns);

/* A row of a coarser level, which the caller clears. */
struct page_row page_row_level(const struct page_row *row, uint64_t resolution_ns);

void page_row_clear(struct page_row *row);

#endif
