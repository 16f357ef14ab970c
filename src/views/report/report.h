/* The contents of a report: rows from the model, sorted, and the unrecorded things. The forms
 * (text, JSON, CSV) read nothing else. */
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
    PINSIGHT_FORMAT_SVG, /* for the matrix alone */
};

struct pinsight_section;

struct pinsight_report_options {
    const char *trace; /* path of its folder */
    enum pinsight_report_view by;
    enum pinsight_sort sort;
    enum pinsight_format format;
    int64_t limit;      /* rows of a table; 0: all; -1: the default of the form */
    const char *find;   /* your functions with this in name or file, in any case; NULL: all */
    const char *region; /* only the time of the regions with this name; NULL: all */
    int64_t thread;     /* Python thread number or OS thread id; -1: all */
    int64_t process;    /* process id; -1: all */
    const char *ranks;  /* see base/ranks.h; NULL: all processes */
    const char *mine;   /* patterns of the user's code (base/code_folders.h), or NULL */
    bool modules;       /* modules are summed, besides other rows */
    bool tree;          /* shows the call tree in place of the tables */
    bool unfold;        /* the tree shows each frame of libraries */
    const struct pinsight_section *section; /* shown in place of the tables; or NULL */
    bool histograms;                        /* rows keep histograms of their single calls */
    int64_t depth;                          /* of the tree; 0: all; -1: the default of the form */
    int64_t held_ms; /* least time in ms for which a held event loop is shown; 0: the default */
    /* Share of the whole, in percent, below which a branch is left out. Below 0, it is the default
     * of the form. */
    double threshold;
    bool colour;
    unsigned width;                    /* of the screen, in columns */
    const volatile sig_atomic_t *stop; /* see struct pinsight_source_options; may be NULL */
    bool progress;                     /* shows the progress of reading on stderr */
    /* The file that `pinsight run` left beside the trace, or NULL. */
    const struct pinsight_run_info *run;
    /* The trace is a chunk: the end and the losses in `run` concern the whole trace. */
    bool chunk;
};

/* Members of a struct pinsight_report_options that leave nothing out. */
#define PINSIGHT_REPORT_WHOLE .limit = -1, .thread = -1, .process = -1, .depth = -1, .threshold = -1

/* The times of one thing. For a resumed generator, min and max are those of one slice. */
struct pinsight_times {
    uint64_t calls, total_ns, self_ns, mean_ns;
    uint64_t away_ns;  /* part of self_ns without a processor, as far as it is known */
    uint64_t ready_ns; /* part of away_ns in which the thread was ready to run */
    uint64_t min_ns, max_ns;
    bool has_range;         /* min_ns is known, because something was traced, not only counted */
    bool has_max;           /* max_ns is known, from traced or counted calls */
    uint64_t counted_calls; /* part of `calls` that MONITORING counted; and its times */
    uint64_t counted_total_ns, counted_self_ns;
    bool in_part;   /* a budget left out later calls */
    bool generator; /* there are more slices than calls */
};

struct pinsight_function_row {
    const char *name, *file, *module;
    int32_t line;
    struct pinsight_times times;
    struct pinsight_histogram
        /* Of self times, owned by the report. NULL unless the options ask for it. */
        *histogram;
};

/* A C callable with one line that calls it, in `c_calls`; or with all its callers, in `callees`. */
struct pinsight_c_row {
    const char *name, *module;
    bool known;                       /* the trace has the name */
    const char *caller, *caller_file; /* NULL if the caller is unknown */
    int32_t caller_line;              /* 0 if unknown */
    uint32_t sites;                   /* number of calling lines, in `callees` */
    struct pinsight_times times;
    struct pinsight_histogram *histogram; /* like that of a function; NULL in `callees` */
};

struct pinsight_group_row {
    const char *name; /* "" if the module or file is unknown */
    uint64_t calls, c_calls, total_ns, self_ns, c_self_ns;
    uint64_t counted[2]; /* counted calls, by enum pinsight_kind */
};

struct pinsight_thread_row {
    const struct pinsight_thread *thread;
    const char *name;
    uint64_t calls, c_calls, busy_ns, self_ns, c_self_ns;
    uint64_t counted[2]; /* counted calls, by enum pinsight_kind */
};

/* The waiting time of threads for one cause. */
struct pinsight_wait_row {
    const char *cause;
    uint64_t waiting_ns;
};

struct pinsight_not_recorded {
    uint64_t discarded_events, discarded_packets;
    uint64_t lost_frames;          /* calls without a recorded end, which were closed as lost */
    uint64_t dropped_ends;         /* ends without a recorded begin */
    uint64_t under_way;            /* calls that ran when their domain stopped recording */
    uint64_t open_at_end;          /* calls that ran when the trace ended */
    uint64_t began_before;         /* in a later chunk: calls that began before it */
    uint64_t silent_processes;     /* processes that announced themselves and recorded nothing */
    uint64_t size_limit_processes; /* processes that stopped at the size limit */
    uint64_t size_limit;           /* the largest of their limits, in bytes */
    uint64_t budget_processes;     /* processes whose budget ended the recording */
    uint64_t damaged_streams;
    uint64_t missing_events;    /* recorded by processes, but neither in the trace nor discarded */
    uint64_t unsaid_processes;  /* processes with an unknown number of recorded events */
    uint64_t unnamed_functions; /* functions without a code_info */
    uint64_t folded_calls;      /* calls in the tree without a node of their own */
    uint64_t cut_off; /* counted calls that were open when their process ended without a notice */
    uint64_t folded_paths;      /* calls that were counted by caller and callee */
    uint64_t pauses, paused_ns; /* pauses for introspections in all processes */
    uint64_t outside_windows;   /* executions outside their window */
    uint64_t untotalled;        /* processes with windows that recorded no totals */
    uint64_t other_clocks;      /* processes with another clock than the machine's */
    const char *other_clock;    /* source of the first such clock; NULL: none */
    bool unclear_discards;      /* further events were discarded, in an unknown number */
    bool builtins_only;         /* a process ran CPython 3.8 to 3.11 */
    bool has_operators;         /* a process recorded operators of types in C */
    bool has_properties;        /* a process recorded properties of types in C */
    uint64_t without_operators; /* processes that had such types, but could not record them */
    bool stopped;               /* the reading was interrupted */
    bool daemon_died;           /* a daemon of LTTng died, and the recording ended early */
    bool incomplete;            /* some data did not reach the disk */
    bool unended;               /* `pinsight run` was killed before its end */
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
    void *followed;  /* result of a domain's follower, see struct view_follower; or NULL */
    bool has_clocks; /* clocks of threads were read */
    uint64_t waiting_ns, ready_ns; /* waited, and ready without a processor */
    uint64_t python_ns, c_ns;      /* all self time */
    /* The time of the bar, which all shares of the run's time refer to. It leaves out idle threads
     * and, of threads whose Python was recorded, time without a recorded call. */
    uint64_t whole_ns;
    bool by_path;      /* everything was counted by call path */
    bool only_counted; /* something was counted, and nothing was traced */
    bool mixed;        /* something was counted, and something was traced */
};

/* Returns a string of the trace by its number. */
static inline const char *pinsight_report_string(const struct pinsight_report *report,
                                                 uint32_t string) {
    return pinsight_strings_text(&report->model->strings, string);
}

/* Reads a trace and makes the rows. Returns NULL with *error set if nothing can be read. The caller
 * frees the error. */
struct pinsight_report *pinsight_report_read(const struct pinsight_report_options *options,
                                             char **error);
void pinsight_report_free(struct pinsight_report *report);

/* Returns whether threads were ready without a processor for more than a hundredth of their time
 * off the processor. `report` has the type that columns need. */
bool pinsight_report_has_ready(const void *report);

/* Returns whether the trace has the resident memory of a process. */
bool pinsight_report_has_memory(const void *report);

/* Returns whether a process announced a domain, even without recorded events of it. */
bool pinsight_report_has_domain(const struct pinsight_report *report, const char *name);

/* Returns fixed sentences about things that this kind of recording cannot observe. */
const char *pinsight_report_unseen(const struct pinsight_report *report);

/* Write the report, and return 0, or -1 with errno set if `out` cannot be written. */
int pinsight_report_text(const struct pinsight_report *report, FILE *out);
int pinsight_report_json(const struct pinsight_report *report, FILE *out);
int pinsight_report_csv(const struct pinsight_report *report, FILE *out);
int pinsight_report_svg(const struct pinsight_report *report, FILE *out);

#endif
