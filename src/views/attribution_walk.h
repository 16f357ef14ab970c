/*
 * Follows a run slice by slice for attribution.h, and attributes each moment of each thread. The
 * walk keeps the open frames, and sums by function, line and call path. Not thread-safe.
 *
 * The own time of a slice excludes the slices within it. The own times of a thread add up to the
 * time in which a slice was open in it.
 */
#ifndef PINSIGHT_VIEWS_ATTRIBUTION_WALK_H
#define PINSIGHT_VIEWS_ATTRIBUTION_WALK_H

#include "base/stack_pool.h"
#include "reader/timeline.h"
#include "views/report/attribution.h"

/* Time of Python without native work beneath it, by thread and by the innermost function of the
 * user's. The function is a number of the model or PINSIGHT_NONE. Imports have sums of their
 * own. */
struct pinsight_walk_python {
    const struct pinsight_process *process;
    const struct pinsight_thread *thread; /* NULL if the thread was found to be another one */
    uint32_t function;
    uint64_t python_ns, c_ns, gc_ns;
    uint64_t gc_ready_ns; /* of gc_ns, without a processor that it wanted */
    struct pinsight_attribution_away away;
    /* Not part of the times above: native work in the function, except waiting. */
    uint64_t native_running_ns;
    uint64_t calls; /* ended calls of the function itself; for a generator, its slices */
};

/* Calls of one callee from one line of a function of the user's. The callee is a C callable or a
 * Python function. */
struct pinsight_walk_call {
    uint32_t function;
    int32_t line; /* 0 if unknown */
    uint8_t kind; /* enum pinsight_kind */
    uint32_t id;  /* function or callee */
    uint64_t calls;
    uint64_t total_ns; /* from begin to end; each call of a recursion counts */
    uint64_t ns;       /* part of total_ns outside other functions of the user's */
    uint64_t away_ns;  /* part of ns without a processor */
    uint64_t ready_ns; /* part of away_ns in which the thread was ready to run */
    uint64_t native_ns, native_away_ns, native_ready_ns; /* parts in native work */
    uint64_t c_ns;                                       /* part of ns in the C callable itself */
    uint64_t max_ns; /* the longest call in counts of MONITORING, from begin to end */
};

/* Imports of one module from one place, with all imports within them. Time in the user's code is
 * left out. */
struct pinsight_walk_import {
    const struct pinsight_process *process;
    uint32_t module; /* string number */
    uint32_t place;  /* path with the user's line, or PINSIGHT_NONE */
    uint64_t python_ns, c_ns;
    struct pinsight_attribution_away away;
};

/* The body of one imported module of the user's, with all that runs until its end, except further
 * imports. */
struct pinsight_walk_body {
    uint32_t function; /* the body */
    uint64_t python_ns, c_ns;
    struct pinsight_attribution_away away;
};

/* Native work of one domain that one Python call path started; see paths.h. */
struct pinsight_walk_native {
    uint32_t path;    /* PINSIGHT_NONE if unknown */
    uint32_t forward; /* for a backward pass, the path of its forward operation; or PINSIGHT_NONE */
    uint8_t domain;
    struct pinsight_attribution_work work; /* its bytes are not set */
};

struct pinsight_walk_track;
struct view_follower;

/* A walk. All zero is empty. */
struct pinsight_attribution_walk {
    struct pinsight_timeline timeline;
    struct pinsight_model *model;
    struct {
        uint8_t category, domain;
    } kinds[PINSIGHT_SLICE_KINDS]; /* by the kind of a slice */
    struct pinsight_walk_python *pythons;
    size_t python_count, python_capacity;
    struct pinsight_walk_call *calls;
    size_t call_count, call_capacity;
    struct pinsight_walk_import *imports;
    size_t import_count, import_capacity;
    struct pinsight_walk_body *bodies;
    size_t body_count, body_capacity;
    struct pinsight_walk_native *natives;
    size_t native_count, native_capacity;
    struct pinsight_map python_map, call_map, import_map, native_map, body_map;
    struct pinsight_walk_process *processes; /* by the index of the process */
    size_t process_count;
    uint32_t *call_at; /* index plus one in calls, by call site; 0: none yet */
    size_t call_at_count;
    struct pinsight_stack_pool rooms; /* memory of the tracks' frames */
    struct pinsight_walk_track **tracks;
    size_t track_count, track_capacity;
    uint32_t track_numbers; /* number of tracks so far, with removed ones */
    uint8_t *users;         /* by function of the model: its origin, 0 if unknown */
    size_t users_count;
    uint8_t *sites; /* by call site of MPI: 1 if a selected thread called there */
    size_t site_count;
    const struct view_follower *follower; /* the domain's functions, see views/domain.h; or NULL */
    void *following;                      /* the result of follower->start() */
    uint64_t followed_ns;                 /* since when threads are followed; 0: they are not */
};

/* Starts to follow a model. `walk` must outlive the reading of the trace. */
void pinsight_attribution_walk_start(struct pinsight_attribution_walk *walk,
                                     struct pinsight_model *model);

/* Adds the call paths that MONITORING counted. The trace must be read to its end, and have no
 * slices besides. */
void pinsight_attribution_walk_counted(struct pinsight_attribution_walk *walk);

/* Fills in the times of the thread with an index. Returns false if there are no more threads. */
bool pinsight_attribution_walk_thread(const struct pinsight_attribution_walk *walk, size_t number,
                                      struct pinsight_attribution_thread *thread);

/* Returns the domain's results for a report, which frees them by view_follower(). Returns NULL
 * without results. Must be called at most once, while the model exists. */
void *pinsight_attribution_walk_followed(struct pinsight_attribution_walk *walk);

/* Frees the walk. The model may be freed already. */
void pinsight_attribution_walk_clear(struct pinsight_attribution_walk *walk);

#endif
