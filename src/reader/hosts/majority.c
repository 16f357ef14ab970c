/* The hosts that keep their clocks; see search.h. */
#include "base/memory.h"
#include "reader/hosts/search.h"

#include <stdlib.h>

/* Returns whether links bound an offset on a side. */
static bool is_bounded(const struct pinsight_host_offset *offset) {
    return offset->least_ns > -PINSIGHT_NO_BOUND || offset->most_ns < PINSIGHT_NO_BOUND;
}

/* Returns a host's correction at a time by the corrected clocks. */
static int64_t at(const struct pinsight_host_correction *host, uint64_t ns) {
    return host_search_correction(host, ns - (uint64_t)host_search_correction(host, ns));
}

/* Returns whether the bounds of a host allow the correction of another one: then both clocks may be
 * right. Both corrections are estimates within bounds. */
static bool allows(const struct host_search *search, const struct pinsight_host_correction *hosts,
                   size_t host, size_t other) {
    const struct pinsight_host_offset *own = &search->offsets[host],
                                      *others = &search->offsets[other];
    const uint64_t times[] = {search->from_ns,
                              search->from_ns + (search->until_ns - search->from_ns) / 2,
                              search->until_ns};
    int64_t room = (others->most_ns - others->least_ns) / 2;

    if (host == other)
        return true;
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        int64_t more = at(&hosts[other], times[i]) - at(&hosts[host], times[i]);

        if (more < own->least_ns - own->ns - room || more > own->most_ns - own->ns + room)
            return false;
    }
    return true;
}

/* Returns the distance of two hosts' corrections in the middle of the run. */
static uint64_t distance(const struct host_search *search,
                         const struct pinsight_host_correction *hosts, size_t host, size_t other) {
    uint64_t ns = search->from_ns + (search->until_ns - search->from_ns) / 2;

    return (uint64_t)llabs(at(&hosts[host], ns) - at(&hosts[other], ns));
}

/* Returns the host whose clock the most hosts agree with; of several, the nearest one to these. */
static size_t most_agreed(const struct host_search *search,
                          const struct pinsight_host_correction *hosts) {
    size_t best = 0, most = 0;
    double nearest = 0;

    for (size_t i = 0; i < search->hosts; i++) {
        size_t count = 0;
        double sum = 0;

        if (!pinsight_offset_is_bound(&search->offsets[i]))
            continue;
        for (size_t k = 0; k < search->hosts; k++)
            if (is_bounded(&search->offsets[k]) && allows(search, hosts, k, i)) {
                count++;
                sum += (double)distance(search, hosts, k, i);
            }
        if (count > most || (count == most && sum < nearest)) {
            most = count;
            nearest = sum;
            best = i;
        }
    }
    return best;
}

/* Returns corrections that are so much less than `hosts` as the correction of one of these is.
 * Those that agree with it have none. */
static struct pinsight_host_correction *
relate(const struct host_search *search, const struct pinsight_host_correction *hosts, size_t to) {
    struct pinsight_host_correction *related = host_search_copy(hosts, search->hosts);

    for (size_t i = 0; i < search->hosts; i++) {
        struct pinsight_host_correction *host = &related[i];

        if (search->fixed[i]) {
            free(host->points);
            host->points = NULL;
            host->point_count = 0;
            continue;
        }
        if (!host->points && hosts[to].points) {
            host->points = pinsight_calloc(hosts[to].point_count, sizeof(*host->points));
            host->point_count = hosts[to].point_count;
            for (size_t k = 0; k < host->point_count; k++)
                host->points[k].cycles =
                    hosts[to].points[k].cycles + (uint64_t)hosts[to].points[k].ns;
        }
        for (size_t k = 0; k < host->point_count; k++)
            host->points[k].ns -=
                at(&hosts[to], host->points[k].cycles + (uint64_t)host->points[k].ns);
    }
    return related;
}

/* Relates the corrections to the fixed hosts. Returns NULL if that misses more bounds. */
static struct pinsight_host_correction *keep(struct host_search *search,
                                             const struct pinsight_host_correction *hosts,
                                             size_t to, int64_t missed) {
    struct pinsight_host_correction *related = relate(search, hosts, to);

    host_search_links(search, related, 0, UINT64_MAX);
    if (host_search_find(search, missed)) {
        host_search_add(search, related);
        return related;
    }
    host_search_clear(related, search->hosts);
    return NULL;
}

/* Counts, for each host, the links that contradict that it is fixed, beside another fixed one. The
 * caller frees the counts. */
static uint32_t *contradictions(const struct host_search *search) {
    uint32_t *counts = pinsight_calloc(search->hosts, sizeof(*counts));

    for (size_t i = 0; i < search->link_count; i++) {
        const struct pinsight_host_link *link = &search->links[i];

        if (link->least_ns < 0 && search->fixed[link->from] && search->fixed[link->to]) {
            counts[link->from]++;
            counts[link->to]++;
        }
    }
    return counts;
}

/* Fixes a host less: the one with the most contradictions and, of several, the one whose correction
 * is the farthest from that of `to`. Returns false if no other host is fixed. */
static bool give_up_one(struct host_search *search, const struct pinsight_host_correction *hosts,
                        size_t to) {
    uint32_t *counts = contradictions(search);
    size_t worst = to;
    uint64_t most = 0;

    for (size_t i = 0; i < search->hosts; i++) {
        uint64_t ns = distance(search, hosts, i, to);

        if (i == to || !search->fixed[i] || !is_bounded(&search->offsets[i]) ||
            (worst != to && counts[i] < counts[worst]) ||
            (worst != to && counts[i] == counts[worst] && ns <= most))
            continue;
        most = ns;
        worst = i;
    }
    free(counts);
    search->fixed[worst] = worst == to;
    return worst != to;
}

struct pinsight_host_correction *host_search_keep_most(struct host_search *search,
                                                       struct pinsight_host_correction *hosts,
                                                       int64_t missed) {
    struct pinsight_host_correction *kept;
    size_t to;

    host_search_set_run(search, hosts);
    to = most_agreed(search, hosts);
    for (size_t i = 0; i < search->hosts; i++)
        search->fixed[i] = allows(search, hosts, i, to);
    do
        kept = keep(search, hosts, to, missed);
    while (!kept && give_up_one(search, hosts, to));
    if (!kept)
        return hosts;
    host_search_clear(hosts, search->hosts);
    return kept;
}
