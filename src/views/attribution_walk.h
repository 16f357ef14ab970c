/* The run followed slice by slice for attribution.h: whose time every moment of every thread is.
 * Kept is what is open, and sums by function, line and call path. Not thread-safe.
 *
 * A slice's own time is what no slice within it has. Each thread's own times add up to the time in
 * which something was open in it. */
#ifndef PINSIGHT_VIEWS_ATTRIBUTION_WALK_H
#define PINSIGHT_VIEWS_ATTRIBUTION_WALK_H

#include "base/room.h"
#include "reader/timeline.h"
#include "views/report/attribution.h"

/* Python that nothing native is under, by thread and the user's function that was innermost, a
 * number of the model's or PINSIGHT_NONE. Imports stand apart. */
struct pinsight_walk_python {
    const struct pinsight_process *process;
    const struct pinsight_thread *thread; /* NULL where it turned out to be another one */
    uint32_t function;
    uint64_t python_ns, c_ns, gc_ns;
    struct pinsight_attribution_away away;
    uint64_t native_running_ns; /* besides: native work in it, but for waiting */
};

/* What one line of a function of the user's calls: a C callable, or a Python function. */
struct pinsight_walk_call {
    uint32_t function;
    int32_t line; /* 0 where it is not known */
    uint8_t kind; /* enum pinsight_kind */
    uint32_t id;  /* function or callee */
    uint64_t calls;
    uint64_t total_ns; /* from begin to end; of a recursion each call counts */
    uint64_t ns;       /* of that, what no function of the user's had that it called in turn */
    uint64_t away_ns;  /* of ns, without a processor */
    uint64_t ready_ns; /* of away_ns, it wanted one */
    uint64_t native_ns, native_away_ns, native_ready_ns; /* of these, in native work of a domain */
    uint64_t c_ns;                                       /* of ns, in the C callable itself */
    uint64_t max_ns; /* where calls were counted: the longest, from begin to end */
};

/* Imports of one module from one place, with everything that they imported, as far as no code of
 * the user's ran. */
struct pinsight_walk_import {
    const struct pinsight_process *process;
    uint32_t module; /* a number of a string */
    uint32_t place;  /* the path of the user's line, or PINSIGHT_NONE */
    uint64_t python_ns, c_ns;
    struct pinsight_attribution_away away;
};

/* Native work of one domain that one Python call path started, see paths.h. */
struct pinsight_walk_native {
    uint32_t path;    /* or PINSIGHT_NONE */
    uint32_t forward; /* of a backward pass: the path of what it is the gradient of; or likewise */
    uint8_t domain;
    struct pinsight_attribution_work work; /* without bytes */
};

struct pinsight_walk_track;
struct view_follower;

/* All zero is empty. */
struct pinsight_attribution_walk {
    struct pinsight_timeline timeline;
    struct pinsight_model *model;
    struct {
        uint8_t category, domain;
    } kinds[PINSIGHT_SLICE_KINDS]; /* of slices */
    struct pinsight_walk_python *pythons;
    size_t python_count, python_capacity;
    struct pinsight_walk_call *calls;
    size_t call_count, call_capacity;
    struct pinsight_walk_import *imports;
    size_t import_count, import_capacity;
    struct pinsight_walk_native *natives;
    size_t native_count, native_capacity;
    struct pinsight_map python_map, call_map, import_map, native_map;
    struct pinsight_walk_process *processes; /* by index */
    size_t process_count;
    uint32_t *call_at; /* places among calls plus one, by call site; 0 for none yet */
    size_t call_at_count;
    struct pinsight_rooms rooms; /* of the tracks' frames */
    struct pinsight_walk_track **tracks;
    size_t track_count, track_capacity;
    uint32_t track_numbers; /* of all tracks that there were */
    uint8_t *users;         /* by the model's functions: whose they are, where known */
    size_t users_count;
    uint8_t *sites; /* of MPI, by number: 1 where a thread that is looked at called there */
    size_t site_count;
    const struct view_follower *follower; /* see views/domain.h; or NULL */
    void *following;                      /* what it returned */
    uint64_t followed_ns;                 /* since when threads are followed; 0: they are not */
};

/* Follows the model from now on; for its whole life. */
void pinsight_attribution_walk_start(struct pinsight_attribution_walk *walk,
                                     struct pinsight_model *model);

/* Adds what MONITORING counted by call path; the trace is read, and nothing was traced beside. */
void pinsight_attribution_walk_counted(struct pinsight_attribution_walk *walk);

/* The times of a thread, one after the other; false after the last. */
bool pinsight_attribution_walk_thread(const struct pinsight_attribution_walk *walk, size_t number,
                                      struct pinsight_attribution_thread *thread);

/* What a domain made of what it followed, for a report, which frees it by view_follower(); NULL
 * without. To be called once, while the model is there. */
void *pinsight_attribution_walk_followed(struct pinsight_attribution_walk *walk);

/* Frees what it keeps; the model may be gone. */
void pinsight_attribution_walk_clear(struct pinsight_attribution_walk *walk);

#endif
