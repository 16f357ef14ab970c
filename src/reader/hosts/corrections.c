/* Corrections of hosts' clocks; see corrections.h. */
#include "base/memory.h"
#include "reader/hosts/search.h"

#include <stdlib.h>

/* Returns the corrections. Sets by how much they miss bounds. */
static struct pinsight_host_correction *find_all(struct host_search *search, int64_t *missed) {
    struct pinsight_host_correction *hosts = pinsight_calloc(search->hosts, sizeof(*hosts));

    host_search_links(search, hosts, 0, UINT64_MAX);
    host_search_fix_first(search);
    *missed = host_search_nearest(search);
    host_search_add(search, hosts);
    if (*missed)
        hosts = host_search_lines(search, hosts, missed);
    return host_search_keep_most(search, hosts, *missed);
}

/* The corrections may be wrong by as much as they miss bounds. */
static void add_missed(struct pinsight_host_correction *hosts, size_t count, int64_t missed) {
    for (size_t i = 0; i < count; i++)
        if (hosts[i].unsure_ns < PINSIGHT_NO_BOUND)
            hosts[i].unsure_ns += missed;
}

static uint64_t most_early(const struct pinsight_bounds *bounds) {
    int64_t least = 0;

    for (size_t i = 0; i < bounds->pair_count; i++)
        for (size_t k = 0; k < bounds->pairs[i].count; k++)
            if (bounds->pairs[i].items[k].took_ns < least)
                least = bounds->pairs[i].items[k].took_ns;
    return (uint64_t)-least;
}

void pinsight_host_corrections_find(const struct pinsight_bounds *bounds, size_t hosts,
                                    struct pinsight_host_corrections *corrections) {
    struct host_search search = {.bounds = bounds, .hosts = hosts};
    int64_t missed = 0;

    *corrections = (struct pinsight_host_corrections){0};
    if (!bounds->early || bounds->unsure || !hosts)
        return;
    search.fixed = pinsight_calloc(hosts, sizeof(*search.fixed));
    search.links = pinsight_calloc(bounds->pair_count, sizeof(*search.links));
    search.offsets = pinsight_calloc(hosts, sizeof(*search.offsets));
    corrections->most_early_ns = most_early(bounds);
    corrections->items = find_all(&search, &missed);
    corrections->count = hosts;
    add_missed(corrections->items, hosts, missed);
    corrections->left_ns = (uint64_t)missed;
    PINSIGHT_FREE(search.fixed, search.links, search.offsets);
    if (corrections->left_ns >= corrections->most_early_ns)
        pinsight_host_corrections_clear(corrections);
}

void pinsight_host_corrections_clear(struct pinsight_host_corrections *corrections) {
    for (size_t i = 0; i < corrections->count; i++)
        free(corrections->items[i].host);
    host_search_clear(corrections->items, corrections->count);
    *corrections = (struct pinsight_host_corrections){0};
}
