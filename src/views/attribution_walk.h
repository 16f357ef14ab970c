/* The run followed slice by slice for attribution.h: whose time every moment of every thread is.
 * Kept is what is open, and sums by function, line and call path. Not thread-safe.
 *
 * A slice's own time is what no slice within it has. Each thread's own times add up to the time in
 * which something was open in it. */
#ifndef PINSIGHT_VIEWS_ATTRIBUTION_WALK_H
#define PINSIGHT_VIEWS_ATTRIBUTION_WALK_H

#include "reader/timeline.h"
#include "views/cuda/idle.h"
#include "views/report/attribution.h"

/* Python that nothing native is under, by the user's function that was innermost, a number of the
 * model's or PINSIGHT_NONE. */
struct pinsight_walk_python {
    uint32_t function;
    uint64_t python_ns, c_ns, gc_ns;
    struct pinsight_attribution_away away;
};

/* Calls into C from one line of the user's. */
struct pinsight_walk_line {
    uint32_t function;
    int32_t line;
    uint64_t calls, ns;
};

/* Native work of one domain that one Python call path started, see paths.h. */
struct pinsight_walk_native {
    uint32_t path;    /* or PINSIGHT_NONE */
    uint32_t forward; /* of a backward pass: the path of what it is the gradient of; or likewise */
    uint8_t domain;
    struct pinsight_attribution_work work; /* without bytes */
};

struct pinsight_walk_track;

/* All zero is empty. */
struct pinsight_attribution_walk {
    struct pinsight_timeline timeline;
    struct pinsight_model *model;
    struct {
        uint8_t category, domain;
    } kinds[PINSIGHT_SLICE_KINDS]; /* of slices */
    struct pinsight_walk_python *pythons;
    size_t python_count, python_capacity;
    struct pinsight_walk_line *lines;
    size_t line_count, line_capacity;
    struct pinsight_walk_native *natives;
    size_t native_count, native_capacity;
    struct pinsight_map line_map, native_map;
    /* Places plus one, 0 for none yet: of pythons by function plus one, of lines by call site. */
    uint32_t *python_at, *line_at;
    size_t python_at_count, line_at_count;
    struct pinsight_walk_track **tracks;
    size_t track_count, track_capacity;
    uint8_t *users; /* by the model's functions: whose they are, where known */
    size_t users_count;
    uint8_t *sites; /* of MPI, by number: 1 where a thread that is looked at called there */
    size_t site_count;
    struct pinsight_idle_walk idle; /* why devices were idle */
};

/* Follows the model from now on; for its whole life. */
void pinsight_attribution_walk_start(struct pinsight_attribution_walk *walk,
                                     struct pinsight_model *model);

/* The times of a thread, one after the other; false after the last. */
bool pinsight_attribution_walk_thread(const struct pinsight_attribution_walk *walk, size_t number,
                                      struct pinsight_attribution_thread *thread);

/* After the model is gone. */
void pinsight_attribution_walk_clear(struct pinsight_attribution_walk *walk);

#endif
