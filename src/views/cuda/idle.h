/* Why devices were idle: each moment in which one did nothing, by what the thread did meanwhile
 * that asked for the work by which the gap ended. Not thread-safe.
 *
 * Up to the begin of that call it is what the thread was in; from there on the work was asked for.
 * Where nothing is known of the thread (one of a framework that runs a backward pass, say), it is
 * the thread of Python that called CUDA first in the process; where nothing is known of that, the
 * line of the call. Gaps of less than PINSIGHT_IDLE_SHORT_NS in which the thread ran Python or
 * called CUDA are those of a device that gets small work too slowly. */
#ifndef PINSIGHT_VIEWS_CUDA_IDLE_H
#define PINSIGHT_VIEWS_CUDA_IDLE_H

#include "views/cuda/hosts.h"
#include "views/domain.h"
#include "views/python/place.h"
#include "views/report/report.h"

#define PINSIGHT_IDLE_SHORT_NS 100000

/* The rows of a table; see views/report/tables.h. */
#define IDLE_ROWS(rows, count) REPORT_ROWS(followed, struct pinsight_idle_view, rows, count)

/* What a thread does: struct pinsight_host_state as a row has it. */
struct pinsight_doing {
    struct python_place place;
    int32_t before; /* where its line is not known: the line in the function of the call by which
                       the longest of its gaps ended; or 0 */
    uint32_t callee;
    uint8_t callee_kind, cause;
};

struct pinsight_idle_row {
    uint32_t device; /* index among the model's */
    struct pinsight_doing doing;
    uint64_t ns, gaps, longest_ns; /* in so many gaps; the most of one */
    uint64_t gap, gap_ns;          /* the last gap, by its number, and how much of it */
};

/* What threads did that called no CUDA, from its first call in the trace on. */
struct pinsight_other_row {
    uint32_t process; /* index */
    struct pinsight_doing doing;
    uint64_t ns;
};

struct pinsight_idle_view {
    struct pinsight_idle_row *rows;
    size_t count, capacity;
    struct pinsight_other_row *others;
    size_t other_count, other_capacity;
    uint64_t gaps;
    uint64_t coarse_ns; /* of it is known by joined entries alone, see hosts.h */
};

/* While a trace is read. All zero is empty. */
struct pinsight_idle_walk {
    struct pinsight_hosts hosts;
    struct pinsight_idle_view *view;
    struct pinsight_map row_map, other_map;
    uint32_t *first; /* by process: the number, plus one, of the track of its first thread with
                        Python that called CUDA */
    size_t first_count;
};

void pinsight_idle_walk_start(struct pinsight_idle_walk *walk, struct pinsight_model *model);

/* The thread of a track calls CUDA for the first time, in Python or not, in the slice of which it
 * is to be told next. */
void pinsight_idle_walk_call(struct pinsight_idle_walk *walk, const struct pinsight_track *track,
                             bool python);

/* A gap; see struct pinsight_timeline. */
void pinsight_idle_walk_gap(struct pinsight_idle_walk *walk, const struct pinsight_idle *gap);

/* When the trace was read: the rows, the longest first of both. Frees the rest. */
struct pinsight_idle_view *pinsight_idle_walk_end(struct pinsight_idle_walk *walk);
void pinsight_idle_free(struct pinsight_idle_view *view);

/* The domain's follower, and what it left in a report; NULL without. */
extern const struct view_follower pinsight_idle_follower;
static inline const struct pinsight_idle_view *
pinsight_idle_of(const struct pinsight_report *report) {
    return report->followed;
}

/* What the thread did in most of a device's idle time; of what comes again and again, where that is
 * said; and what others did, where the thread waited for them. NULL where it is not known. */
const struct pinsight_doing *pinsight_idle_culprit(const struct pinsight_report *report,
                                                   uint32_t device);

/* "the data loader". */
const char *pinsight_idle_cause_word(unsigned cause);

#endif
