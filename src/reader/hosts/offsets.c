/* Offsets of hosts' clocks within bounds; see offsets.h. */
#include "reader/hosts/offsets.h"

#include "base/memory.h"

#include <stdlib.h>

/* Adds without overflow. No bound stays none. */
static int64_t sum(int64_t ns, int64_t more_ns) {
    int64_t result = 0;

    if (ns >= PINSIGHT_NO_BOUND || __builtin_add_overflow(ns, more_ns, &result) ||
        result > PINSIGHT_NO_BOUND)
        return PINSIGHT_NO_BOUND;
    return result < -PINSIGHT_NO_BOUND ? -PINSIGHT_NO_BOUND : result;
}

/* A direction of the paths: from the fixed hosts against the links, or with them. */
struct paths {
    const struct pinsight_host_link *links;
    size_t link_count, hosts;
    const bool *fixed;
    int64_t slack_ns;
    bool against;
};

/* Computes the shortest paths (Bellman and Ford). Returns false if there is a circle of a negative
 * length, or a shorter path to a fixed host than 0. */
static bool shortest(const struct paths *paths, int64_t *lengths) {
    bool changes = true;

    for (size_t round = 0; changes; round++) {
        if (round > paths->hosts)
            return false;
        changes = false;
        for (size_t i = 0; i < paths->link_count; i++) {
            const struct pinsight_host_link *link = &paths->links[i];
            uint32_t from = paths->against ? link->to : link->from;
            uint32_t to = paths->against ? link->from : link->to;
            int64_t length = sum(lengths[from], sum(link->least_ns, paths->slack_ns));

            if (length >= lengths[to])
                continue;
            if (paths->fixed[to])
                return false;
            lengths[to] = length;
            changes = true;
        }
    }
    return true;
}

/* Moves the offsets without bounds on both sides as far as the links need it. Hosts that lead to
 * bound ones go up first. Then all others go down. */
static void settle(const struct paths *paths, struct pinsight_host_offset *offsets) {
    for (int down = 0; down < 2; down++) {
        bool changes = true;

        for (size_t round = 0; changes && round <= paths->hosts; round++) {
            changes = false;
            for (size_t i = 0; i < paths->link_count; i++) {
                const struct pinsight_host_link *link = &paths->links[i];
                struct pinsight_host_offset *from = &offsets[link->from], *to = &offsets[link->to];
                struct pinsight_host_offset *moved = down ? from : to;
                int64_t lacks = -sum(sum(link->least_ns, paths->slack_ns), to->ns - from->ns);
                bool is_up = moved->least_ns > -PINSIGHT_NO_BOUND;

                if (lacks <= 0 || pinsight_offset_is_bound(moved) || is_up == (down != 0))
                    continue;
                moved->ns += down ? -lacks : lacks;
                changes = true;
            }
        }
    }
}

bool pinsight_offsets_find(const struct pinsight_host_link *links, size_t link_count, size_t hosts,
                           const bool *fixed, int64_t slack_ns,
                           struct pinsight_host_offset *offsets) {
    int64_t *most = pinsight_calloc(hosts, sizeof(*most));
    int64_t *least = pinsight_calloc(hosts, sizeof(*least));
    struct paths paths = {links, link_count, hosts, fixed, slack_ns, true};
    bool is_possible;

    for (size_t i = 0; i < hosts; i++)
        most[i] = least[i] = fixed[i] ? 0 : PINSIGHT_NO_BOUND;
    is_possible = shortest(&paths, most);
    paths.against = false;
    is_possible = is_possible && shortest(&paths, least);
    for (size_t i = 0; i < hosts && is_possible; i++) {
        struct pinsight_host_offset *offset = &offsets[i];

        *offset = (struct pinsight_host_offset){.least_ns = -least[i], .most_ns = most[i]};
        if (pinsight_offset_is_bound(offset))
            offset->ns = offset->least_ns + (offset->most_ns - offset->least_ns) / 2;
    }
    if (is_possible)
        settle(&paths, offsets);
    PINSIGHT_FREE(most, least);
    return is_possible;
}
