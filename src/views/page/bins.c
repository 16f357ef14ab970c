/* Keeps bins of time; see bins.h. */
#include "views/page/bins.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>

/* The least number of bins, if the run is long enough. */
#define LEAST_BINS 64

void page_bins_make(struct page_bins *bins) {
    *bins = (struct page_bins){.entries_most = PAGE_BIN_ENTRIES_MOST};
}

void page_bins_clear(struct page_bins *bins) {
    free(bins->entries);
    pinsight_map_clear(&bins->map);
    *bins = (struct page_bins){0};
}

static struct page_bin_entry *entry_of(struct page_bins *bins, uint32_t track, uint32_t node,
                                       uint32_t bin) {
    return PINSIGHT_KEYED(&bins->map, track, node, bin, bins->entries, bins->count, bins->capacity,
                          .track = track, .node = node, .bin = bin);
}

/* Merges pairs of bins. Returns the last bin with an entry. */
static uint32_t widen(struct page_bins *bins) {
    struct page_bin_entry *entries = bins->entries;
    size_t count = bins->count;
    uint32_t last = 0;

    bins->width_ns *= 2;
    pinsight_map_clear(&bins->map);
    bins->entries = NULL;
    bins->count = bins->capacity = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t bin = entries[i].bin / 2;
        struct page_bin_entry *to = entry_of(bins, entries[i].track, entries[i].node, bin);

        to->calls += entries[i].calls;
        to->self_ns += entries[i].self_ns;
        to->away_ns += entries[i].away_ns;
        last = bin > last ? bin : last;
    }
    free(entries);
    return last;
}

/* Returns the bin of a time. Times before the first event are in the first bin. */
static uint32_t bin_of(struct page_bins *bins, uint64_t ns) {
    if (!bins->width_ns) {
        bins->base_ns = ns;
        bins->width_ns = PAGE_BIN_NS;
    }
    if (ns < bins->base_ns)
        return 0;
    while ((ns - bins->base_ns) / bins->width_ns >= PAGE_BINS_MOST)
        widen(bins);
    return (uint32_t)((ns - bins->base_ns) / bins->width_ns);
}

/* Makes room for one entry in each possible bin. */
static void make_room(struct page_bins *bins) {
    while (bins->count + PAGE_BINS_MOST > bins->entries_most)
        if (widen(bins) < LEAST_BINS) /* wider bins would hide too much of the run */
            bins->entries_most *= 2;
}

/* Returns the end of a bin, or to_ns if it is earlier. */
static uint64_t end_of(const struct page_bins *bins, uint32_t bin, uint64_t from_ns,
                       uint64_t to_ns) {
    uint64_t end = bins->base_ns + (bin + 1) * bins->width_ns;

    /* In a damaged trace, the last bin has no end. */
    return end > from_ns && end < to_ns ? end : to_ns;
}

void page_bins_self(struct page_bins *bins, uint32_t track, uint32_t node, uint64_t from_ns,
                    uint64_t to_ns) {
    if (to_ns <= from_ns)
        return;
    make_room(bins);
    if (!bins->width_ns)
        bin_of(bins, from_ns);
    bin_of(bins, to_ns); /* widens the bins if necessary */
    while (from_ns < to_ns) {
        uint32_t bin = bin_of(bins, from_ns);
        uint64_t end = end_of(bins, bin, from_ns, to_ns);

        entry_of(bins, track, node, bin)->self_ns += end - from_ns;
        from_ns = end;
    }
}

void page_bins_call(struct page_bins *bins, uint32_t track, uint32_t node, uint64_t ns) {
    uint32_t bin;

    make_room(bins);
    bin = bin_of(bins, ns);
    entry_of(bins, track, node, bin)->calls++;
}

void page_bins_away(struct page_bins *bins, uint32_t track, uint32_t node, uint64_t from_ns,
                    uint64_t to_ns, uint64_t away_ns) {
    const double share = to_ns > from_ns ? (double)away_ns / (double)(to_ns - from_ns) : 0;
    uint64_t rest = away_ns;

    if (!away_ns || to_ns <= from_ns)
        return;
    make_room(bins);
    bin_of(bins, to_ns);
    while (from_ns < to_ns && rest) {
        uint32_t bin = bin_of(bins, from_ns);
        uint64_t end = end_of(bins, bin, from_ns, to_ns), part;

        part = end == to_ns ? rest : (uint64_t)((double)(end - from_ns) * share);
        part = part < rest ? part : rest;
        entry_of(bins, track, node, bin)->away_ns += part;
        rest -= part;
        from_ns = end;
    }
}

ORDER(by_place, struct page_bin_entry,
      BY(a->track, b->track) ?: BY(a->node, b->node) ?: BY(a->bin, b->bin))

void page_bins_sort(struct page_bins *bins) {
    pinsight_map_clear(&bins->map);
    PINSIGHT_SORT(bins->entries, bins->count, by_place);
}
