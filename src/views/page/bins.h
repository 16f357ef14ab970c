/* Bins of time, for a profile of a part of the run. Each track has for each bin the calling
 * contexts that were innermost in it, with their own times. There are at most PAGE_BINS_MOST bins,
 * and a limit of entries. Beyond either, a bin becomes twice as wide. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_PAGE_BINS_H
#define PINSIGHT_VIEWS_PAGE_BINS_H

#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

#define PAGE_BINS_MOST 1024
#define PAGE_BIN_ENTRIES_MOST (1u << 19)
/* The initial width of a bin, in ns. */
#define PAGE_BIN_NS 16384

struct page_bin_entry {
    uint32_t track, node, bin;
    uint32_t calls;   /* calls that began in the bin */
    uint64_t self_ns; /* time in which the node was innermost */
    uint64_t
        /* The part of self_ns in which it waited, or had no processor. The time of a slice is
         * spread evenly over its bins. */
        away_ns;
};

struct page_bins {
    uint64_t base_ns, width_ns; /* begin of the first bin; and the width, 0 before the first bin */
    uint32_t entries_most;      /* PAGE_BIN_ENTRIES_MOST, or less in a test */
    struct page_bin_entry *entries;
    size_t count, capacity;
    struct pinsight_map map; /* index of an entry, by track, node and bin */
};

void page_bins_make(struct page_bins *bins);
void page_bins_clear(struct page_bins *bins);

/* Adds the time in which a node was innermost in a track. */
void page_bins_self(struct page_bins *bins, uint32_t track, uint32_t node, uint64_t from_ns,
                    uint64_t to_ns);
/* Adds a call of a node at its begin. */
void page_bins_call(struct page_bins *bins, uint32_t track, uint32_t node, uint64_t ns);
/* Adds away_ns of waiting to a slice of a node. The waiting is part of the slice's own time. */
void page_bins_away(struct page_bins *bins, uint32_t track, uint32_t node, uint64_t from_ns,
                    uint64_t to_ns, uint64_t away_ns);

/* Sorts the entries by track, node and bin. No entry may be added later. */
void page_bins_sort(struct page_bins *bins);

#endif
