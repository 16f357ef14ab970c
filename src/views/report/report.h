/* What a report shows, in whatever form: rows made from the model, sorted, and what was not
 * recorded. The forms (text, JSON, CSV) read this and nothing else. */
#ifndef PINSIGHT_VIEWS_REPORT_H
#define PINSIGHT_VIEWS_REPORT_H

#include "reader/ctf/result.h"
#include "reader/model.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum pinsight_report_view {
    PINSIGHT_VIEW_FUNCTION,
    PINSIGHT_VIEW_MODULE,
    PINSIGHT_VIEW_FILE,
    PINSIGHT_VIEW_THREAD,
    PINSIGHT_VIEW_RANK,
};

enum pinsight_sort {
    PINSIGHT_SORT_SELF,
    PINSIGHT_SORT_TOTAL,
    PINSIGHT_SORT_CALLS,
    PINSIGHT_SORT_MEAN,
    PINSIGHT_SORT_MIN,
    PINSIGHT_SORT_MAX,
    PINSIGHT_SORT_NAME,
};

enum pinsight_format {
    PINSIGHT_FORMAT_TEXT,
    PINSIGHT_FORMAT_JSON,
    PINSIGHT_FORMAT_CSV,
    PINSIGHT_FORMAT_SVG, /* of the matrix alone */
};

struct pinsight_section;

struct pinsight_report_options {
    const char *trace; /* folder */
    enum pinsight_report_view by;
    enum pinsight_sort sort;
    enum pinsight_format format;
    int64_t limit;     /* rows of a table; 0 is all, -1 what suits the form */
    int64_t thread;    /* Python thread number or OS thread id, -1 for all */
    int64_t process;   /* process id, -1 for all */
    const char *ranks; /* see base/ranks.h; NULL for all processes */
    const char *mine;  /* patterns of the user's code (base/code_folders.h), or NULL */
    bool modules;      /* modules are summed, whatever rows are */
    bool tree;         /* the call tree in place of the tables */
    bool unfold;       /* with each frame of libraries */
    const struct pinsight_section *section; /* in place of the tables; NULL for the tables */
    bool histograms;  /* rows know how the times of their single calls are spread */
    int64_t depth;    /* of the tree; 0 is all, -1 what suits the form */
    int64_t held_ms;  /* what held an event loop for so long is shown; 0: what suits most */
    double threshold; /* share of the whole, in percent, below which a branch is excluded; < 0 for
                         what suits the form */
    bool colour;
    unsigned width;                      /* columns of the screen */
    const volatile sig_atomic_t *stop;   /* see struct pinsight_source_options; may be NULL */
    bool progress;                       /* show how far the reading is, on stderr */
    const struct pinsight_run_info *run; /* what `pinsight run` left beside the trace, or NULL */
    bool chunk; /* trace is a chunk: what run says of the end and of losses is of the whole */
};

/* What says in a struct pinsight_report_options that nothing is left out. */
#define PINSIGHT_REPORT_WHOLE .limit = -1, .thread = -1, .process = -1, .depth = -1, .threshold = -1

/* The times of one thing. Where a generator is resumed, min and max are of one slice. */
struct pinsight_times {
    uint64_t calls, total_ns, self_ns, mean_ns;
    uint64_t away_ns;  /* of self_ns, without a processor, as far as is known */
    uint64_t ready_ns; /* of away_ns, it wanted one */
    uint64_t min_ns, max_ns;
    bool has_range;         /* min is known: something was traced, not only counted */
    bool has_max;           /* and max, of both */
    uint64_t counted_calls; /* of calls, those that MONITORING counted; and their times, of those */
    uint64_t counted_total_ns, counted_self_ns;
    bool generator; /* has more slices than calls */
};

struct pinsight_function_row {
    const char *name, *file, *module;
    int32_t line;
    struct pinsight_times times;
    struct pinsight_histogram
        *histogram; /* of self times, owned by the report; NULL unless asked for */
};

/* A C callable as called from one line; or, in the list by callee, from everywhere. */
struct pinsight_c_row {
    const char *name, *module;
    bool known;                       /* name is in the trace */
    const char *caller, *caller_file; /* NULL where the caller is not known */
    int32_t caller_line;              /* 0 where it is not known */
    uint32_t sites;                   /* in the list by callee: lines that call it */
    struct pinsight_times times;
    struct pinsight_histogram *histogram; /* as of a function; NULL in the list by callee */
};

struct pinsight_group_row {
    const char *name; /* "" where the module or file is not known */
    uint64_t calls, c_calls, total_ns, self_ns, c_self_ns;
    uint64_t counted[2]; /* calls of them that were counted, by enum pinsight_kind */
};

struct pinsight_thread_row {
    const struct pinsight_thread *thread;
    const char *name;
    uint64_t calls, c_calls, busy_ns, self_ns, c_self_ns;
    uint64_t counted[2]; /* as above */
};

/* What threads waited for. */
struct pinsight_wait_row {
    const char *cause;
    uint64_t waiting_ns;
};

struct pinsight_not_recorded {
    uint64_t discarded_events, discarded_packets;
    uint64_t lost_frames;          /* begun and never seen to end: closed as lost */
    uint64_t dropped_ends;         /* ended and never seen to begin */
    uint64_t under_way;            /* still running when their domain stopped to record */
    uint64_t open_at_end;          /* still running when the trace ends */
    uint64_t began_before;         /* of a later chunk: calls that end in it and began earlier */
    uint64_t silent_processes;     /* announced themselves and recorded nothing */
    uint64_t size_limit_processes; /* stopped at the size limit */
    uint64_t size_limit;           /* the largest of their limits, in bytes */
    uint64_t damaged_streams;
    uint64_t missing_events;    /* of all processes: recorded, not in the trace, not discarded */
    uint64_t unsaid_processes;  /* of which it is not known how many events they recorded at last */
    uint64_t unnamed_functions; /* whose code_info is missing */
    uint64_t folded_calls;      /* of the tree */
    uint64_t cut_off;           /* counted calls that were open when their process ended unseen */
    uint64_t folded_paths;      /* calls that were counted by caller and callee */
    uint64_t pauses, paused_ns; /* for introspections, in all processes */
    uint64_t outside_windows;   /* executions that were seen outside their window */
    uint64_t other_clocks;      /* processes whose clock is not the machine's */
    const char *other_clock;    /* what the first of them has it from; NULL: none */
    bool unclear_discards;      /* an unknown number of events more */
    bool builtins_only;         /* a process ran CPython 3.8 to 3.11 */
    bool has_operators;         /* a process recorded operators of types written in C */
    bool has_properties;        /* a process recorded properties of types written in C */
    uint64_t without_operators; /* processes that had such types and could not */
    bool stopped;               /* the reading was interrupted */
    bool daemon_died;           /* a daemon of LTTng died: the recording ended early */
    bool incomplete;            /* not everything reached the disk */
    bool unended;               /* `pinsight run` did not come to its end */
};

struct pinsight_report {
    struct pinsight_report_options options;
    struct pinsight_model *model;
    struct pinsight_source_result source;
    struct pinsight_function_row *functions;
    size_t function_count;
    struct pinsight_c_row *c_calls; /* by call site */
    size_t c_call_count;
    struct pinsight_c_row *callees; /* by callee */
    size_t callee_count;
    struct pinsight_group_row *groups;
    size_t group_count;
    struct pinsight_thread_row *threads;
    size_t thread_count;
    struct pinsight_wait_row *waits;
    size_t wait_count;
    struct pinsight_not_recorded not_recorded;
    struct pinsight_omp_view *openmp;              /* see openmp.h */
    struct pinsight_mpi_view *mpi;                 /* see mpi.h */
    struct pinsight_attribution_view *attribution; /* see attribution.h */
    void *followed;  /* what a domain followed, see struct view_follower; NULL without */
    bool has_clocks; /* clocks of threads were read */
    uint64_t waiting_ns, ready_ns; /* that threads waited, and wanted a processor, by them */
    uint64_t python_ns, c_ns;      /* all self time, the whole that shares are of */
    bool by_path;                  /* and all of it by call path */
    bool only_counted;             /* nothing was traced, something was counted */
    bool mixed;                    /* something was traced, and something counted */
};

/* A string of the trace, by its number. */
static inline const char *pinsight_report_string(const struct pinsight_report *report,
                                                 uint32_t string) {
    return pinsight_strings_text(&report->model->strings, string);
}

/* Reads a trace and makes the rows. Returns NULL with *error set (to be freed) where nothing can be
 * read. */
struct pinsight_report *pinsight_report_read(const struct pinsight_report_options *options,
                                             char **error);
void pinsight_report_free(struct pinsight_report *report);

/* Whether threads wanted a processor and had none for more than a hundredth of the time that they
 * had none: `report`, as a column wants it. */
bool pinsight_report_has_ready(const void *report);

/* Whether a process said that it has a domain, with anything recorded in it or not. */
bool pinsight_report_has_domain(const struct pinsight_report *report, const char *name);

/* The fixed sentences on what this kind of recording cannot see. */
const char *pinsight_report_unseen(const struct pinsight_report *report);

/* The forms. Each returns 0, or -1 with errno set where out could not be written. */
int pinsight_report_text(const struct pinsight_report *report, FILE *out);
int pinsight_report_json(const struct pinsight_report *report, FILE *out);
int pinsight_report_csv(const struct pinsight_report *report, FILE *out);
int pinsight_report_svg(const struct pinsight_report *report, FILE *out);

#endif
