/*
 * Finds why devices were idle. Each moment of a gap is attributed to the state of the thread that
 * requested the work at the gap's end. Not thread-safe.
 *
 * Before the begin of that call, the thread's own state is the cause. After it, the work was
 * requested already. The thread may be unknown, such as a framework's thread for a backward pass.
 * Then the Python thread that called CUDA first in the process replaces it. If that is unknown,
 * too, the line of the call is the cause. A gap below PINSIGHT_IDLE_SHORT_NS in which the thread
 * ran Python or called CUDA shows that small work comes too slowly.
 */
#ifndef PINSIGHT_VIEWS_CUDA_IDLE_H
#define PINSIGHT_VIEWS_CUDA_IDLE_H

#include "views/cuda/hosts.h"
#include "views/domain.h"
#include "views/python/place.h"
#include "views/report/report.h"

#define PINSIGHT_IDLE_SHORT_NS 100000

/* The place of a table's rows in the view; see views/report/tables.h. */
#define IDLE_ROWS(rows, count) REPORT_ROWS(followed, struct pinsight_idle_view, rows, count)

/* A struct pinsight_host_state, in the form for rows. */
struct pinsight_doing {
    struct python_place place;
    /* If the line is unknown: the function's line on the path of the call that ended the longest
     * gap; or 0. */
    int32_t before;
    uint32_t callee;
    uint8_t callee_kind, cause;
};

struct pinsight_idle_row {
    uint32_t device; /* index of the model's devices */
    struct pinsight_doing doing;
    uint64_t ns, gaps, longest_ns; /* in `gaps` gaps; the largest part of one gap */
    uint64_t gap, gap_ns;          /* number of the last gap, and its part in ns */
};

/* Time of a thread that did not call CUDA, from the first call of CUDA on. */
struct pinsight_other_row {
    uint32_t process; /* its index */
    struct pinsight_doing doing;
    uint64_t ns;
};

struct pinsight_idle_view {
    struct pinsight_idle_row *rows;
    size_t count, capacity;
    struct pinsight_other_row *others;
    size_t other_count, other_capacity;
    uint64_t gaps;
    uint64_t coarse_ns; /* time that is known only by joined entries, see hosts.h */
};

/* The state while a trace is read. All zero is empty. */
struct pinsight_idle_walk {
    struct pinsight_hosts hosts;
    struct pinsight_idle_view *view;
    struct pinsight_map row_map, other_map;
    /* By process: the number of the track, of its first Python thread that called CUDA. */
    uint32_t *first;
    size_t first_count;
};

void pinsight_idle_walk_start(struct pinsight_idle_walk *walk, struct pinsight_model *model);

/* Notes that the thread of a track calls CUDA for the first time. `python` is whether it is in
 * Python. The slice of the call has to be passed next. */
void pinsight_idle_walk_call(struct pinsight_idle_walk *walk, const struct pinsight_track *track,
                             bool python);

/* Adds a gap; see struct pinsight_timeline. */
void pinsight_idle_walk_gap(struct pinsight_idle_walk *walk, const struct pinsight_idle *gap);

/* Returns the rows, sorted by time, after the trace was read. Frees the rest of the walk. */
struct pinsight_idle_view *pinsight_idle_walk_end(struct pinsight_idle_walk *walk);
void pinsight_idle_free(struct pinsight_idle_view *view);

/* The domain's follower, and its result in a report, or NULL. */
extern const struct view_follower pinsight_idle_follower;
static inline const struct pinsight_idle_view *
pinsight_idle_of(const struct pinsight_report *report) {
    return report->followed;
}

/* Returns the thread's state in most of a device's idle time. A repeated cause goes before a single
 * one if it is large enough. If the thread waited for others, the state is that of the others.
 * Returns NULL if it is unknown. */
const struct pinsight_doing *pinsight_idle_culprit(const struct pinsight_report *report,
                                                   uint32_t device);

/* Returns the word of a cause, such as "data loader". */
const char *pinsight_idle_cause_word(unsigned cause);

#endif
