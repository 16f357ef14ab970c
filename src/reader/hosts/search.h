/* A search for corrections of hosts' clocks: the steps that corrections.c, lines.c and majority.c
 * share. */
#ifndef PINSIGHT_READER_HOSTS_SEARCH_H
#define PINSIGHT_READER_HOSTS_SEARCH_H

#include "reader/hosts/corrections.h"
#include "reader/hosts/offsets.h"

struct host_search {
    const struct pinsight_bounds *bounds;
    size_t hosts;
    bool *fixed; /* hosts that keep their clocks */
    struct pinsight_host_link *links;
    size_t link_count;
    struct pinsight_host_offset *offsets; /* the last ones that were found */
    uint64_t from_ns, until_ns;           /* the run, by corrected clocks */
};

/* Returns the correction at a time of the host's own clock. */
static inline int64_t host_search_correction(const struct pinsight_host_correction *host,
                                             uint64_t ns) {
    return pinsight_clock_correction(host->points, host->point_count, ns);
}

/* Copy, and free, an array of corrections for all hosts. */
struct pinsight_host_correction *host_search_copy(const struct pinsight_host_correction *hosts,
                                                  size_t count);
void host_search_clear(struct pinsight_host_correction *hosts, size_t count);

/* Makes the links of a part of the run, between two times by the corrected clocks. Events are
 * related by the corrections so far. */
void host_search_links(struct host_search *search, const struct pinsight_host_correction *so_far,
                       uint64_t from_ns, uint64_t until_ns);

/* Fixes the first host that has links, and no other one. */
void host_search_fix_first(struct host_search *search);

/* Finds offsets that miss no link by more than the slack. Returns false if there are none. */
bool host_search_find(struct host_search *search, int64_t slack_ns);

/* Finds the offsets that miss the links least. Returns by how much. */
int64_t host_search_nearest(struct host_search *search);

/* Adds the offsets to the corrections. */
void host_search_add(const struct host_search *search, struct pinsight_host_correction *hosts);

/* Sets the times of the run, by the corrected clocks. */
void host_search_set_run(struct host_search *search, const struct pinsight_host_correction *hosts);

/* Tries corrections that are linear in parts, from constant ones that miss bounds by *missed.
 * Returns those that miss the bounds least, and sets by how much. Takes ownership of `best`, and
 * the caller frees the result. */
struct pinsight_host_correction *host_search_lines(struct host_search *search,
                                                   struct pinsight_host_correction *best,
                                                   int64_t *missed);

/* Finds a large group of hosts whose clocks may all be right, and relates the corrections to them,
 * so that these hosts keep their clocks. The corrections miss bounds by `missed`, and the offsets
 * are those of their last step. Takes ownership of `hosts`, and the caller frees the result. */
struct pinsight_host_correction *host_search_keep_most(struct host_search *search,
                                                       struct pinsight_host_correction *hosts,
                                                       int64_t missed);

#endif
