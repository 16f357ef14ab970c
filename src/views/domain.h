/* The views of a domain: the names of its slices, and its sections of a report. reader/domains.def
 * lists the domains. A domain's number is one of enum reader_domain_number. */
#ifndef PINSIGHT_VIEWS_DOMAIN_H
#define PINSIGHT_VIEWS_DOMAIN_H

#include "base/grid.h"
#include "reader/timeline.h"
#include "views/slice_details.h"

#include <stdbool.h>
#include <stdio.h>

struct pinsight_json;
struct pinsight_attribution_maker;
struct pinsight_attribution_walk;
struct pinsight_report;
struct pinsight_section;
struct pinsight_notices;
struct pinsight_insights;
struct pinsight_track;

/* Looks for one kind of insight in a report, and adds it. */
typedef void pinsight_insight_rule(const struct pinsight_report *report,
                                   struct pinsight_insights *insights);

/* How views show a kind of slice. Functions may be NULL. */
struct slice_view {
    const char *category; /* category in exports, such as "mpi" */
    const char *word;     /* shown in a profile in place of a file, such as "MPI" */
    const char *prefix;   /* written before the name in a profile; or NULL */
    const char *name;     /* the name of all slices of the kind; or NULL */
    /* Sets the name, which may stay empty, and other known texts. For native work, the caller adds
     * the user's line. */
    void (*text)(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                 struct pinsight_slice_text *text);
    /* Passes further details to the viewer; see slice_details.h. */
    void (*details)(const struct pinsight_slice *slice,
                    const struct pinsight_slice_details *details);
    /* Returns the number of the code that runs, which its slices share, from any caller. NULL: the
     * slice's id is this number. */
    uint32_t (*runs)(const struct pinsight_model *model, const struct pinsight_slice *slice);
};

/* A part of the bar in a summary. The sign distinguishes a part without colour, and `ascii` does so
 * without UTF-8. */
struct bar_view {
    const char *name; /* NULL: the bar has no such part */
    const char *sign, *ascii;
    enum pinsight_style style;
};

/* Lets a domain follow the threads while a trace is read. From the first slice of `kind` on, the
 * walk over slices (attribution_walk.h) reports all threads. `own` is the result of start(),
 * `thread` is the result of thread(). Both belong to the domain, as does their memory. No function
 * may be NULL. */
struct view_follower {
    enum pinsight_slice_kind kind;
    void *(*start)(struct pinsight_model *model);
    /* Begins to follow a thread. Calls of begin() for its open slices come next. The first slice of
     * the kind, in any thread, began at since_ns. */
    void *(*thread)(void *own, const struct pinsight_track *track, uint64_t since_ns);
    /* Announces that a slice of the kind begins in the thread, before its begin(). `python` is
     * whether the thread runs Python. */
    void (*call)(void *own, void *thread, const struct pinsight_track *track, bool python);
    /* A slice begins in the thread, beneath a function of the user's; and the innermost slice
     * ends. */
    void (*begin)(void *thread, enum pinsight_slice_kind kind, uint32_t id, uint32_t path,
                  uint32_t users, uint64_t ns);
    void (*end)(void *thread, uint64_t ns);
    /* Reports a gap, see struct pinsight_timeline. */
    void (*idle)(void *own, const struct pinsight_idle *gap);
    /* Frees `own` after the trace was read, while the model exists. Returns the result that a
     * report keeps in `followed`. free() frees this result. */
    void *(*finish)(void *own);
    void (*free)(void *followed);
};

/* The views of a domain. Functions may be NULL. */
struct view_domain {
    const struct slice_view *slices[PINSIGHT_SLICE_KINDS]; /* this domain's kinds, else NULL */
    struct bar_view bar;                                   /* the wall time of its work */
    struct bar_view bar_waiting; /* the wall time of its waiting; or without a name */
    bool on_devices;             /* the time of its work outside the callers is time of devices */
    /* Return the runtime's number for a thread, and its rank for a process; or -1. */
    int64_t (*thread_number)(const struct pinsight_thread *thread);
    int64_t (*rank)(const struct pinsight_process *process);
    /* Returns whether a report has anything of the domain. */
    bool (*seen)(const struct pinsight_report *report);
    /* Write the domain's lines of the summary, and of the head of a report. Without data, nothing
     * is written. `few` asks for fewer lines, because there is little room. */
    void (*lines)(const struct pinsight_report *report, FILE *out, bool few);
    void (*head)(const struct pinsight_report *report, FILE *out);
    /* Returns the time in ns that the runtime's start and end took in all threads. */
    uint64_t (*start_up)(const struct pinsight_report *report);
    /* Sections that options of `pinsight report` choose. The list ends with NULL. */
    const struct pinsight_section *const *sections;
    /* Writes the domain's section in a report of everything, with at most `limit` rows. */
    void (*brief)(const struct pinsight_report *report, FILE *out, size_t limit);
    void (*json)(const struct pinsight_report *report, struct pinsight_json *json, size_t limit);
    /* Rules for the domain's insights, see insights/insights.h. The list ends with NULL. */
    pinsight_insight_rule *const *rules;
    /* Adds notices of unrecorded things. */
    void (*notice)(struct pinsight_notices *notices, const struct pinsight_report *report);
    /* Adds to the attribution what no slice has; see pinsight_attribution_add. */
    void (*attribution)(struct pinsight_attribution_maker *maker,
                        const struct pinsight_report *report,
                        const struct pinsight_attribution_walk *walk);
    const struct view_follower *follower; /* only one domain of a build may have it; else NULL */
};

/* By enum reader_domain_number. */
extern const struct view_domain *const view_domains[READER_DOMAINS];

/* Return the domain whose slices have a kind, and the way to show them. */
enum reader_domain_number slice_domain(unsigned kind);
const struct slice_view *slice_view_of(unsigned kind);

/* Returns the number of the code that runs in a slice; see struct slice_view. */
uint32_t slice_runs(const struct pinsight_model *model, const struct pinsight_slice *slice);

/* Returns the follower of the domain that has one, or NULL. */
const struct view_follower *view_follower(void);

/* Returns a thread's number in a runtime, and sets *domain to the runtime's domain. Returns -1 if
 * no domain has a number. */
int64_t view_thread_number(const struct pinsight_thread *thread, enum reader_domain_number *domain);

/* Returns the rank of a process: the launcher's, else that of a domain's runtime, else -1. */
int64_t view_process_rank(const struct pinsight_process *process);

/* Returns whether a report has native code of any domain. */
bool view_domains_seen(const struct pinsight_report *report);

#endif
