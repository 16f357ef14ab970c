/* Corrections that are linear in parts of the run, for clocks that drift; see search.h. */
#include "base/memory.h"
#include "reader/hosts/search.h"

#include <stdlib.h>

/* The most parts of the run with a linear correction each. */
#define MOST_PARTS 32
/* How often the offsets of a part are found again, each time from the rest that is left. */
#define REFINEMENTS 3
/* A clock with a larger drift (1 / MOST_DRIFT) was set, or the run is too short for lines. */
#define MOST_DRIFT 1000

/* The correction of a host's clock at the middle of a part. */
struct knot {
    int64_t ns;
    bool known;
};

/* Returns the middle of a part. */
static uint64_t middle(const struct host_search *search, size_t part, size_t parts) {
    uint64_t ns = (search->until_ns - search->from_ns) / parts;

    return search->from_ns + ns * part + ns / 2;
}

/* Returns a value on the line through two knots. */
static int64_t on_line(const struct host_search *search, const struct knot *knots, size_t parts,
                       size_t left, size_t right, uint64_t ns) {
    int64_t from = (int64_t)middle(search, left, parts),
            until = (int64_t)middle(search, right, parts);

    if (left == right || until == from)
        return knots[left].ns;
    return knots[left].ns + (int64_t)((__int128)(knots[right].ns - knots[left].ns) *
                                      ((__int128)(int64_t)ns - from) / (until - from));
}

/* Makes a host's points: one at each known knot, and both ends of the run, to which the lines of
 * the first and the last parts go on. */
static void make_points(const struct host_search *search, const struct knot *knots, size_t parts,
                        struct pinsight_host_correction *host) {
    size_t known[MOST_PARTS], count = 0;
    bool moves = false;

    for (size_t i = 0; i < parts; i++)
        if (knots[i].known) {
            known[count++] = i;
            moves |= knots[i].ns != 0;
        }
    if (!moves)
        count = 0;
    free(host->points);
    host->points = count ? pinsight_calloc(count + 2, sizeof(*host->points)) : NULL;
    host->point_count = 0;
    for (size_t i = 0; i < count + 2 && count; i++) {
        size_t left = i < 2 || count < 2 ? 0 : i == count + 1 ? count - 2 : i - 1;
        size_t right = count < 2 ? 0 : left + 1 < count ? left + 1 : left;
        uint64_t at = !i               ? search->from_ns
                      : i == count + 1 ? search->until_ns
                                       : middle(search, known[i - 1], parts);
        int64_t ns = on_line(search, knots, parts, known[left], known[right], at);

        host->points[host->point_count++] =
            (struct pinsight_clock_point){.cycles = at - (uint64_t)ns, .ns = ns};
    }
}

/* Returns whether the corrections are small beside the times between their points. */
static bool are_steady(const struct pinsight_host_correction *hosts, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 1; k < hosts[i].point_count; k++) {
            const struct pinsight_clock_point *point = &hosts[i].points[k];

            if (point->cycles < point[-1].cycles ||
                (uint64_t)llabs(point->ns - point[-1].ns) >
                    (point->cycles - point[-1].cycles) / MOST_DRIFT)
                return false;
        }
    return true;
}

/* Finds corrections with a line between the middles of the parts, from those so far. Returns by how
 * much they miss bounds; INT64_MAX if they are no drift of a clock. */
static int64_t find_lines(struct host_search *search, size_t parts,
                          struct pinsight_host_correction *hosts) {
    struct knot *knots = pinsight_calloc(search->hosts * parts, sizeof(*knots));
    uint64_t length = (search->until_ns - search->from_ns) / parts + 1;
    int64_t missed;

    for (int round = 0; round < REFINEMENTS; round++) {
        for (size_t part = 0; part < parts; part++) {
            uint64_t begin = search->from_ns + length * part;

            host_search_links(search, hosts, begin, begin + length);
            host_search_nearest(search);
            for (size_t i = 0; i < search->hosts; i++) {
                struct knot *knot = &knots[i * parts + part];
                /* A time of the host's own clock, near enough. */
                uint64_t at = middle(search, part, parts);

                at -= (uint64_t)host_search_correction(&hosts[i], at);
                knot->known = pinsight_offset_is_bound(&search->offsets[i]);
                knot->ns = host_search_correction(&hosts[i], at) + search->offsets[i].ns;
            }
        }
        for (size_t i = 0; i < search->hosts; i++)
            make_points(search, &knots[i * parts], parts, &hosts[i]);
    }
    free(knots);
    if (!are_steady(hosts, search->hosts))
        return INT64_MAX;
    host_search_links(search, hosts, 0, UINT64_MAX);
    missed = host_search_nearest(search);
    host_search_add(search, hosts);
    return missed;
}

struct pinsight_host_correction *host_search_lines(struct host_search *search,
                                                   struct pinsight_host_correction *best,
                                                   int64_t *missed) {
    host_search_set_run(search, best);
    for (size_t parts = 2; parts <= MOST_PARTS && *missed; parts *= 2) {
        struct pinsight_host_correction *hosts = host_search_copy(best, search->hosts);
        int64_t misses = find_lines(search, parts, hosts);

        if (misses < *missed) {
            struct pinsight_host_correction *worse = best;

            best = hosts;
            hosts = worse;
            *missed = misses;
        }
        host_search_clear(hosts, search->hosts);
    }
    return best;
}
