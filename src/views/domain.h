/* What views have to know of a domain: what its slices are called, and what of a report is its own.
 * reader/domains.def lists the domains; a number of a domain is one of enum reader_domain_number.
 */
#ifndef PINSIGHT_VIEWS_DOMAIN_H
#define PINSIGHT_VIEWS_DOMAIN_H

#include "base/grid.h"
#include "reader/timeline.h"
#include "views/insights/insights.h"
#include "views/slice_details.h"

#include <stdbool.h>
#include <stdio.h>

struct pinsight_json;
struct pinsight_attribution_maker;
struct pinsight_attribution_walk;
struct pinsight_report;
struct pinsight_section;
struct pinsight_notices;
struct pinsight_track;

/* A kind of slice. Functions may be NULL. */
struct slice_view {
    const char *category; /* in exports: "mpi" */
    const char *word;     /* what stands for its file in a profile: "MPI" */
    const char *prefix;   /* of its name in a profile; NULL for none */
    const char *name;     /* the one that all its slices have; or NULL */
    /* Fills in the name, which may stay empty, and what else is known. For native work the user's
     * line is added. */
    void (*text)(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                 struct pinsight_slice_text *text);
    /* Tells what viewers show beside that; see slice_details.h. */
    void (*details)(const struct pinsight_slice *slice,
                    const struct pinsight_slice_details *details);
    /* The number of what runs, which all its slices have, wherever it is called from. NULL: the
     * slice's id is that number. */
    uint32_t (*runs)(const struct pinsight_model *model, const struct pinsight_slice *slice);
};

/* A part of the bar of a summary: without colour, and without letters past ASCII, its sign tells
 * it. */
struct bar_view {
    const char *name; /* NULL for none */
    const char *sign, *ascii;
    enum pinsight_style style;
};

/* How a domain follows what threads do while a trace is read: the walk over slices
 * (attribution_walk.h) tells it of all threads, from the first slice of a kind on. `own` is what
 * start() returned, `thread` what thread() did; both are the domain's, and so is what it keeps. No
 * function may be NULL. */
struct view_follower {
    enum pinsight_slice_kind kind;
    void *(*start)(struct pinsight_model *model);
    /* A thread is followed from now on; what is open in it is told next. The first slice of the
     * kind, in whichever thread, began at since_ns. */
    void *(*thread)(void *own, const struct pinsight_track *track, uint64_t since_ns);
    /* A slice of the kind begins in it, of which it is told next; in Python or not. */
    void (*call)(void *own, void *thread, const struct pinsight_track *track, bool python);
    /* A slice begins in it, beneath a function of the user's, and the innermost one ends. */
    void (*begin)(void *thread, enum pinsight_slice_kind kind, uint32_t id, uint32_t path,
                  uint32_t users, uint64_t ns);
    void (*end)(void *thread, uint64_t ns);
    /* See struct pinsight_timeline. */
    void (*idle)(void *own, const struct pinsight_idle *gap);
    /* When the trace was read, and the model is still there: frees `own`, and returns what a report
     * keeps (`followed`), which free() frees. */
    void *(*finish)(void *own);
    void (*free)(void *followed);
};

/* A domain. Functions may be NULL. */
struct view_domain {
    const struct slice_view *slices[PINSIGHT_SLICE_KINDS]; /* the kinds that it makes, else NULL */
    struct bar_view bar;                                   /* wall time of its work */
    struct bar_view bar_waiting;                           /* and of its waiting; or no name */
    bool on_devices; /* the time of its work that is not the callers' is that of devices */
    /* The number that its runtime has for a thread, and for a process; -1 without. */
    int64_t (*thread_number)(const struct pinsight_thread *thread);
    int64_t (*rank)(const struct pinsight_process *process);
    /* Whether there is anything of it in a report. */
    bool (*seen)(const struct pinsight_report *report);
    /* Lines of the summary, `few` where there is little room; and of the head of a report. Nothing
     * where there is nothing. */
    void (*lines)(const struct pinsight_report *report, FILE *out, bool few);
    void (*head)(const struct pinsight_report *report, FILE *out);
    /* What its runtime took in all threads to start and to end. */
    uint64_t (*start_up)(const struct pinsight_report *report);
    /* The sections that options of `pinsight report` choose, ended by NULL. */
    const struct pinsight_section *const *sections;
    /* Its section in a report of everything, with so many rows. */
    void (*brief)(const struct pinsight_report *report, FILE *out, size_t limit);
    void (*json)(const struct pinsight_report *report, struct pinsight_json *json, size_t limit);
    /* What stands out in it, ended by NULL; see insights/insights.h. */
    pinsight_insight_rule *const *rules;
    /* What of it was not recorded. */
    void (*notice)(struct pinsight_notices *notices, const struct pinsight_report *report);
    /* Adds to the attribution what slices do not tell; see pinsight_attribution_add. */
    void (*attribution)(struct pinsight_attribution_maker *maker,
                        const struct pinsight_report *report,
                        const struct pinsight_attribution_walk *walk);
    const struct view_follower *follower; /* one domain of a build has one at most; else NULL */
};

/* By enum reader_domain_number. */
extern const struct view_domain *const view_domains[READER_DOMAINS];

/* The domain that makes slices of a kind, and how they are shown. */
enum reader_domain_number slice_domain(unsigned kind);
const struct slice_view *slice_view_of(unsigned kind);

/* What runs in a slice: see struct slice_view. */
uint32_t slice_runs(const struct pinsight_model *model, const struct pinsight_slice *slice);

/* That of the domain which has one, or NULL. */
const struct view_follower *view_follower(void);

/* The number that a thread has in the runtime of some domain, which *domain is then; -1 without. */
int64_t view_thread_number(const struct pinsight_thread *thread, enum reader_domain_number *domain);

/* The rank of a process: as the launcher says, or else some domain's runtime; -1 without. */
int64_t view_process_rank(const struct pinsight_process *process);

/* Whether there is anything of native code in a report, from any domain. */
bool view_domains_seen(const struct pinsight_report *report);

#endif
