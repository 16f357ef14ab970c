/*
 * Offsets of hosts' clocks within bounds: a system of difference constraints (Cormen et al.,
 * Introduction to Algorithms, section 22.4). A link says that the sum of `least_ns` and the
 * difference of the offsets, `to` less `from`, is not negative. Shortest paths from the fixed
 * hosts, and to them, are the most and the least that each offset can be. The middle of both
 * satisfies all links, and is the estimate that NTP makes (RFC 5905 section 8) for two hosts.
 */
#ifndef PINSIGHT_READER_HOSTS_OFFSETS_H
#define PINSIGHT_READER_HOSTS_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_host_link {
    uint32_t from, to;
    int64_t least_ns; /* the shortest time from events of `from` to those of `to` */
};

/* No bound on one side. Any other number is nearer to 0. */
#define PINSIGHT_NO_BOUND (INT64_MAX / 4)

struct pinsight_host_offset {
    int64_t ns;                /* added to the host's times */
    int64_t least_ns, most_ns; /* its bounds; -PINSIGHT_NO_BOUND and PINSIGHT_NO_BOUND: none */
};

static inline bool pinsight_offset_is_bound(const struct pinsight_host_offset *offset) {
    return offset->least_ns > -PINSIGHT_NO_BOUND && offset->most_ns < PINSIGHT_NO_BOUND;
}

/*
 * Finds an offset for each host. It is 0 for the hosts that are `fixed`, of which there must be
 * one. A host with bounds on both sides has the middle of them. One with a bound on one side has
 * the number next to 0, and so has one without. Each link may be missed by `slack_ns`. Returns
 * false if no offsets satisfy the links.
 */
bool pinsight_offsets_find(const struct pinsight_host_link *links, size_t link_count, size_t hosts,
                           const bool *fixed, int64_t slack_ns,
                           struct pinsight_host_offset *offsets);

#endif
