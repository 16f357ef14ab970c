/* Corrections of hosts' clocks, so that no event of a host precedes its cause on another one. */
#ifndef PINSIGHT_READER_HOSTS_CORRECTIONS_H
#define PINSIGHT_READER_HOSTS_CORRECTIONS_H

#include "reader/hosts/bounds.h"
#include "reader/hosts/points.h"

/* The correction of a host's clock. */
struct pinsight_host_correction {
    char *host; /* its name in the trace; NULL until it is set */
    /* Points by ns of its own clock, in the place of cycles; NULL: the clock stays as it is. */
    struct pinsight_clock_point *points;
    size_t point_count;
    /* The correction may be wrong by so much; PINSIGHT_NO_BOUND (offsets.h) if that is unknown. */
    int64_t unsure_ns;
};

/* All zero: no correction. */
struct pinsight_host_corrections {
    struct pinsight_host_correction *items; /* by number of the host */
    size_t count;
    uint64_t most_early_ns; /* events came so much before their causes */
    uint64_t left_ns; /* and do so with the corrections, as no corrections satisfy all bounds */
};

/*
 * Finds corrections. If the bounds allow the clocks as they are, there are none. Else a large group
 * of hosts that agree keeps its clocks, and each other host has the middle of its bounds. If no
 * constant offsets satisfy the bounds, clocks drift: corrections are linear then, in as few parts
 * of the run as are needed. If these miss bounds, too, they are those that miss them least. `hosts`
 * is above each number of a host. The bounds must be finished. Must be followed by
 * pinsight_host_corrections_clear().
 */
void pinsight_host_corrections_find(const struct pinsight_bounds *bounds, size_t hosts,
                                    struct pinsight_host_corrections *corrections);

void pinsight_host_corrections_clear(struct pinsight_host_corrections *corrections);

#endif
