/*
 * Bounds of the differences between hosts' clocks. An event of one host precedes an event of
 * another one, as the begin of a send precedes the arrival of its message. So the second clock
 * cannot be behind the first one by more than the time between them.
 *
 * Of many such pairs of events, those are kept that bound a difference most: in each short time,
 * the lower convex hull of the times between the events. So a difference that changes linearly
 * within such a time has the same bounds as by all events. Not thread-safe.
 */
#ifndef PINSIGHT_READER_HOSTS_BOUNDS_H
#define PINSIGHT_READER_HOSTS_BOUNDS_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event, and the time until a later event of the other host, by their hosts' clocks. The time is
 * negative if the clocks differ by more than it took. */
struct pinsight_bound {
    uint64_t from_ns;
    int64_t took_ns;
};

/* All bounds from one host to another one. */
struct pinsight_bound_pair {
    uint32_t from, to; /* hosts */
    struct pinsight_bound *items;
    size_t count, capacity;
    size_t kept; /* number of the first items that are thinned */
};

/* All zero: none. Cleared by pinsight_bounds_clear(). */
struct pinsight_bounds {
    struct pinsight_bound_pair *pairs;
    size_t pair_count, pair_capacity;
    struct pinsight_map map; /* from both hosts to a pair */
    uint64_t short_ns;       /* the time for which a hull is kept */
    size_t total;            /* items of all pairs */
    bool early;              /* some took_ns is negative */
    bool unsure;             /* events may be related wrongly: no bound can be trusted */
};

/* Takes two events, of which the first one precedes the second one. Does nothing for one host. */
void pinsight_bounds_add(struct pinsight_bounds *bounds, uint32_t from, uint64_t from_ns,
                         uint32_t to, uint64_t to_ns);

/* Drops what bounds nothing. Called once, before the items are used. */
void pinsight_bounds_finish(struct pinsight_bounds *bounds);

void pinsight_bounds_clear(struct pinsight_bounds *bounds);

#endif
