/* What ran when, for a profile of a part of the run: the time is cut into bins, and each track has
 * for each bin the calling contexts that were innermost in it, with their own times. There are at
 * most PAGE_BINS_MOST bins, and so many entries; past that a bin becomes twice as wide. Not
 * thread-safe. */
#ifndef PINSIGHT_VIEWS_PAGE_BINS_H
#define PINSIGHT_VIEWS_PAGE_BINS_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

#define PAGE_BINS_MOST 1024
#define PAGE_BIN_ENTRIES_MOST (1u << 19)
/* The width of a bin at first. */
#define PAGE_BIN_NS 16384

struct page_bin_entry {
    uint32_t track, node, bin;
    uint32_t calls;   /* that began in it */
    uint64_t self_ns; /* the node was innermost; and of that: */
    uint64_t
        away_ns; /* it waited, or had no processor. What is known of a slice is spread over it */
};

struct page_bins {
    uint64_t base_ns, width_ns; /* where the first begins; 0: there is none yet */
    uint32_t entries_most;      /* PAGE_BIN_ENTRIES_MOST; a test has less */
    struct page_bin_entry *entries;
    size_t count, capacity;
    struct pinsight_map map; /* from track, node and bin to an entry */
};

void page_bins_make(struct page_bins *bins);
void page_bins_clear(struct page_bins *bins);

/* A node was innermost in a track from one time to another. */
void page_bins_self(struct page_bins *bins, uint32_t track, uint32_t node, uint64_t from_ns,
                    uint64_t to_ns);
/* A call of it began. */
void page_bins_call(struct page_bins *bins, uint32_t track, uint32_t node, uint64_t ns);
/* A slice of it, from one time to another, waited for so much of its own time. */
void page_bins_away(struct page_bins *bins, uint32_t track, uint32_t node, uint64_t from_ns,
                    uint64_t to_ns, uint64_t away_ns);

/* Orders the entries by track, node and bin; nothing may be added after. */
void page_bins_sort(struct page_bins *bins);

#endif
