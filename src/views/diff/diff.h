/*
 * Compares two versions of a program, with one or more runs of each. The comparison shows changes
 * of time and calls, by function, line, OpenMP region, MPI call and named region. Each change is
 * compared with the differences between runs of one side.
 *
 * Runs are added one after the other. Only the rows of a run are kept. Therefore the memory depends
 * on the number of names, and not on the length of a trace. Not thread-safe.
 */
#ifndef PINSIGHT_VIEWS_DIFF_H
#define PINSIGHT_VIEWS_DIFF_H

#include "views/report/report.h"

enum pinsight_diff_kind {
    PINSIGHT_DIFF_FUNCTION, /* a Python function */
    PINSIGHT_DIFF_C_CALL,   /* a C callable with one line that calls it */
    PINSIGHT_DIFF_REGION,   /* an OpenMP region with the user's line that starts it */
    PINSIGHT_DIFF_MPI,      /* an MPI function with the user's line that calls it */
    PINSIGHT_DIFF_MARKED,   /* a region that the program names, with all that ran in it */
    PINSIGHT_DIFF_KIND_COUNT
};

enum pinsight_diff_metric {
    PINSIGHT_DIFF_CALLS,
    PINSIGHT_DIFF_TOTAL, /* ns */
    PINSIGHT_DIFF_SELF,  /* ns; for MPI without wait states */
    PINSIGHT_DIFF_WAIT,  /* ns in wait states of MPI; 0 for other kinds */
    /* Estimates of the self time in ns: the number of calls times the mean of some calls. STEADY
     * takes the mean of the run's fastest quarter, MIDDLE that of the middle half. Both are 0 if
     * single calls are unknown. */
    PINSIGHT_DIFF_STEADY,
    PINSIGHT_DIFF_MIDDLE,
    PINSIGHT_DIFF_ERROR, /* ns: standard error of PINSIGHT_DIFF_STEADY by chance alone */
    PINSIGHT_DIFF_METRIC_COUNT
};

enum pinsight_diff_verdict {
    PINSIGHT_DIFF_SAME, /* equal within the noise, or a change below the limits */
    PINSIGHT_DIFF_MORE, /* B takes more time */
    PINSIGHT_DIFF_LESS,
    PINSIGHT_DIFF_NEW,     /* in every run of B, in none of A */
    PINSIGHT_DIFF_GONE,    /* in every run of A, in none of B */
    PINSIGHT_DIFF_UNCLEAR, /* differs, but a side has one run: noise or change */
};

enum pinsight_diff_sort {
    PINSIGHT_DIFF_BY_SELF,
    PINSIGHT_DIFF_BY_TOTAL,
    PINSIGHT_DIFF_BY_CALLS,
    PINSIGHT_DIFF_BY_NAME,
};

/* The time that a verdict on self time is based on. */
enum pinsight_diff_basis {
    PINSIGHT_DIFF_ON_TOTAL,    /* the whole self time */
    PINSIGHT_DIFF_ON_STEADY,   /* PINSIGHT_DIFF_STEADY */
    PINSIGHT_DIFF_ON_RELATIVE, /* steady time divided by the slowness of the whole run */
};

/* Smaller differences are not shown as a change. */
struct pinsight_diff_options {
    double min_change; /* percent of the larger median */
    double min_share;  /* percent of the larger side's run time */
    uint64_t min_ns;   /* least change in any case */
    enum pinsight_diff_sort sort;
    enum pinsight_format format;
    int64_t limit;        /* rows; 0: all; -1: the default of the form */
    const char *names[2]; /* of the sides, in place of their traces' paths; or NULL */
    bool all;             /* shows rows without a change, too (text) */
    bool colour;
    unsigned width;
};

/* A run, that is one trace. */
struct pinsight_diff_run {
    char *path;                        /* owned */
    char *python;                      /* versions of its interpreters, owned; "" if unknown */
    uint64_t duration_ns, recorded_ns; /* from the first to the last event; all self time */
    uint64_t discarded_events;
    size_t processes, ranks;
    bool has[PINSIGHT_DIFF_KIND_COUNT]; /* the kind was observed, or has rows */
    bool only_counted, mixed, damaged, windows;
    bool incomplete; /* the recording ended before the program, or parts are missing */
    /* The slowness of all calls, compared with the fastest run of both sides. 1.1 means 10 %
     * slower. 0 if unknown. */
    double factor;
    /* Factors by which interruptions raise self time, and PINSIGHT_DIFF_MIDDLE, above
     * PINSIGHT_DIFF_STEADY. Each is the median of the rows. 0 if unknown. */
    double disturbed, disturbed_middle;
};

/* Statistics of a metric in the runs of a side. */
struct pinsight_diff_stat {
    uint64_t median, min, max;
    uint64_t low, high; /* range of the runs that noise is judged by, see docs/diff-json.md */
};

struct pinsight_diff_side {
    const char *file; /* path on this side; NULL if the side lacks the row */
    int32_t line;     /* line of the call, or a function's first line; 0 if unknown */
    uint32_t seen;    /* number of runs that have the row */
    uint64_t *values; /* at metric * runs + run; owned; NULL if the side lacks the row */
    struct pinsight_diff_stat stats[PINSIGHT_DIFF_METRIC_COUNT];
};

struct pinsight_diff_row {
    enum pinsight_diff_kind kind;
    const char *name;
    const char *function; /* function around the line; NULL for functions and without Python */
    bool waits;           /* a C callable that waits for others, or an MPI call by mpi4py */
    bool compared;        /* false: one side did not observe the kind */
    bool steady;          /* single calls are known in all runs, as PINSIGHT_DIFF_STEADY needs */
    enum pinsight_diff_basis basis; /* the time that `verdict` is based on */
    /* Steady time of each side, divided by the slowness of its runs. 0 if runs cannot be
     * compared. */
    struct pinsight_diff_stat relative[2];
    struct pinsight_diff_side sides[2];
    bool beyond[PINSIGHT_DIFF_METRIC_COUNT]; /* beyond the noise; false if unknown */
    enum pinsight_diff_verdict verdict;      /* on self time */
    enum pinsight_diff_verdict wait_verdict; /* for MPI, on time in wait states */
};

struct pinsight_diff; /* see state.h */

struct pinsight_diff *pinsight_diff_new(const struct pinsight_diff_options *options);
void pinsight_diff_free(struct pinsight_diff *diff);

/* Adds a run to a side: 0 is A, 1 is B. The report may be freed afterwards. */
void pinsight_diff_add(struct pinsight_diff *diff, unsigned side,
                       const struct pinsight_report *report);

/* Matches, judges and sorts the rows. Must be called after all runs were added. */
void pinsight_diff_finish(struct pinsight_diff *diff);

/* The sum of all changes, except rows that only wait. */
struct pinsight_diff_outcome {
    int64_t change_ns; /* B's time minus A's */
    double percent;    /* change_ns in percent of A's time, except waiting */
    /* The row with the largest change in the same direction; or NULL. */
    const struct pinsight_diff_row *most;
};
struct pinsight_diff_outcome pinsight_diff_outcome(const struct pinsight_diff *diff);

/* Returns the outcome as a sentence without a full stop, which the caller frees. Returns NULL if
 * nothing changed, or if the noise is unknown. */
char *pinsight_diff_sentence(const struct pinsight_diff *diff);

/* Write the comparison, and return 0, or -1 with errno set if `out` cannot be written. */
int pinsight_diff_text(const struct pinsight_diff *diff, FILE *out);
int pinsight_diff_json(const struct pinsight_diff *diff, FILE *out);

#endif
