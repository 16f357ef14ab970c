/* Steps of a search for corrections; see search.h. */
#include "reader/hosts/search.h"

#include "base/memory.h"

#include <stdlib.h>

/* The least slack that is tried, and the steps that halve the difference to a smaller one. */
#define LEAST_SLACK 256
#define BISECTIONS 6

void host_search_clear(struct pinsight_host_correction *hosts, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(hosts[i].points);
    free(hosts);
}

void host_search_links(struct host_search *search, const struct pinsight_host_correction *so_far,
                       uint64_t from_ns, uint64_t until_ns) {
    search->link_count = 0;
    for (size_t i = 0; i < search->bounds->pair_count; i++) {
        const struct pinsight_bound_pair *pair = &search->bounds->pairs[i];
        struct pinsight_host_link link = {pair->from, pair->to, INT64_MAX};

        for (size_t k = 0; k < pair->count; k++) {
            const struct pinsight_bound *bound = &pair->items[k];
            uint64_t to_ns = bound->from_ns + (uint64_t)bound->took_ns;
            int64_t moved = host_search_correction(&so_far[pair->from], bound->from_ns);
            int64_t took =
                bound->took_ns + host_search_correction(&so_far[pair->to], to_ns) - moved;
            uint64_t at = bound->from_ns + (uint64_t)moved;

            if (at >= from_ns && at <= until_ns && took < link.least_ns)
                link.least_ns = took;
        }
        if (link.least_ns < INT64_MAX)
            search->links[search->link_count++] = link;
    }
}

bool host_search_find(struct host_search *search, int64_t slack_ns) {
    return pinsight_offsets_find(search->links, search->link_count, search->hosts, search->fixed,
                                 slack_ns, search->offsets);
}

int64_t host_search_nearest(struct host_search *search) {
    int64_t possible = LEAST_SLACK, impossible = 0;

    if (host_search_find(search, 0))
        return 0;
    while (!host_search_find(search, possible) && possible < PINSIGHT_NO_BOUND / 2) {
        impossible = possible;
        possible *= 2;
    }
    for (int i = 0; i < BISECTIONS; i++) {
        int64_t middle = impossible + (possible - impossible) / 2;

        if (host_search_find(search, middle))
            possible = middle;
        else
            impossible = middle;
    }
    host_search_find(search, possible);
    return possible;
}

void host_search_fix_first(struct host_search *search) {
    size_t first = search->hosts;

    for (size_t i = 0; i < search->link_count; i++) {
        first = search->links[i].from < first ? search->links[i].from : first;
        first = search->links[i].to < first ? search->links[i].to : first;
    }
    for (size_t i = 0; i < search->hosts; i++)
        search->fixed[i] = i == first;
}

void host_search_add(const struct host_search *search, struct pinsight_host_correction *hosts) {
    for (size_t i = 0; i < search->hosts; i++) {
        const struct pinsight_host_offset *offset = &search->offsets[i];
        struct pinsight_host_correction *host = &hosts[i];

        host->unsure_ns = pinsight_offset_is_bound(offset)
                              ? (offset->most_ns - offset->least_ns) / 2
                              : PINSIGHT_NO_BOUND;
        if (!host->points && offset->ns) {
            host->points = pinsight_calloc(1, sizeof(*host->points));
            host->point_count = 1;
        }
        for (size_t k = 0; k < host->point_count; k++)
            host->points[k].ns += offset->ns;
    }
}

void host_search_set_run(struct host_search *search, const struct pinsight_host_correction *hosts) {
    search->from_ns = UINT64_MAX;
    search->until_ns = 0;
    for (size_t i = 0; i < search->bounds->pair_count; i++) {
        const struct pinsight_bound_pair *pair = &search->bounds->pairs[i];

        for (size_t k = 0; k < pair->count; k++) {
            uint64_t ns = pair->items[k].from_ns;

            ns += (uint64_t)host_search_correction(&hosts[pair->from], ns);
            search->from_ns = ns < search->from_ns ? ns : search->from_ns;
            search->until_ns = ns > search->until_ns ? ns : search->until_ns;
        }
    }
}

struct pinsight_host_correction *host_search_copy(const struct pinsight_host_correction *hosts,
                                                  size_t count) {
    struct pinsight_host_correction *copied = pinsight_calloc(count, sizeof(*copied));

    for (size_t i = 0; i < count; i++) {
        size_t points = hosts[i].point_count;

        copied[i] = hosts[i];
        copied[i].points = points ? pinsight_calloc(points, sizeof(*copied[i].points)) : NULL;
        for (size_t k = 0; k < points; k++)
            copied[i].points[k] = hosts[i].points[k];
    }
    return copied;
}
