/* Two versions of a program side by side: one run or several of each, what changed in time and
 * calls, by function, line, OpenMP region and call of MPI, and whether it is more than the runs of
 * one side differ by.
 *
 * Runs are added one after the other; of each only its rows are kept, so the memory is bounded by
 * names, whatever the lengths of the traces. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_DIFF_H
#define PINSIGHT_VIEWS_DIFF_H

#include "views/report/report.h"

enum pinsight_diff_kind {
    PINSIGHT_DIFF_FUNCTION, /* a Python function */
    PINSIGHT_DIFF_C_CALL,   /* a C callable, called from one line */
    PINSIGHT_DIFF_REGION,   /* an OpenMP region, started by one of the user's lines */
    PINSIGHT_DIFF_MPI,      /* a function of MPI, called from one of the user's lines */
    PINSIGHT_DIFF_KIND_COUNT
};

enum pinsight_diff_metric {
    PINSIGHT_DIFF_CALLS,
    PINSIGHT_DIFF_TOTAL, /* ns */
    PINSIGHT_DIFF_SELF,  /* ns; of MPI, without wait states */
    PINSIGHT_DIFF_WAIT,  /* ns in wait states of MPI; 0 of other kinds */
    /* What self time would be, had every call taken as long as the mean of the run's fastest
     * quarter of them, or as that of the half in the middle. 0 where single calls are not known. */
    PINSIGHT_DIFF_STEADY,
    PINSIGHT_DIFF_MIDDLE,
    PINSIGHT_DIFF_ERROR, /* the standard error of PINSIGHT_DIFF_STEADY, by chance alone */
    PINSIGHT_DIFF_METRIC_COUNT
};

enum pinsight_diff_verdict {
    PINSIGHT_DIFF_SAME, /* as far as can be told from the noise, or below what is shown */
    PINSIGHT_DIFF_MORE, /* takes more time in B */
    PINSIGHT_DIFF_LESS,
    PINSIGHT_DIFF_NEW,     /* in every run of B, in none of A */
    PINSIGHT_DIFF_GONE,    /* the reverse */
    PINSIGHT_DIFF_UNCLEAR, /* differs, and a side has one run: noise or change */
};

enum pinsight_diff_sort {
    PINSIGHT_DIFF_BY_SELF,
    PINSIGHT_DIFF_BY_TOTAL,
    PINSIGHT_DIFF_BY_CALLS,
    PINSIGHT_DIFF_BY_NAME,
};

/* What a verdict on self time is on. */
enum pinsight_diff_basis {
    PINSIGHT_DIFF_ON_TOTAL,    /* the whole self time */
    PINSIGHT_DIFF_ON_STEADY,   /* PINSIGHT_DIFF_STEADY */
    PINSIGHT_DIFF_ON_RELATIVE, /* that, with what slowed whole runs down taken out */
};

/* Below these a difference is not shown as a change. */
struct pinsight_diff_options {
    double min_change; /* percent of the larger of both medians */
    double min_share;  /* percent of the larger of both runs' time */
    uint64_t min_ns;   /* and at least this */
    enum pinsight_diff_sort sort;
    enum pinsight_format format;
    int64_t limit;        /* rows; 0 is all, -1 what suits the form */
    const char *names[2]; /* of the sides, in place of their traces; or NULL */
    bool all;             /* rows without a change, too (text) */
    bool colour;
    unsigned width;
};

/* A trace. */
struct pinsight_diff_run {
    char *path;                        /* owned */
    char *python;                      /* versions of its interpreters, owned; "" without */
    uint64_t duration_ns, recorded_ns; /* last event - first; self time of all Python and C */
    uint64_t discarded_events;
    size_t processes, ranks;
    bool has[PINSIGHT_DIFF_KIND_COUNT]; /* it was observed, or there is some */
    bool only_counted, mixed, damaged, windows;
    bool incomplete; /* the recording ended before the program, or not all of it was kept */
    double factor;   /* by how much its calls were slower, throughout, than those of the fastest
                        run of both sides: 1.1 is 10 % slower; 0 where not known */
    double disturbed, disturbed_middle; /* by how much self time, and PINSIGHT_DIFF_MIDDLE, are more
                                           than PINSIGHT_DIFF_STEADY in the middle of its rows; 0
                                           where not known */
};

/* Of the values of a side's runs. */
struct pinsight_diff_stat {
    uint64_t median, min, max;
    uint64_t low, high; /* the runs that noise is judged by, see docs/diff-json.md */
};

struct pinsight_diff_side {
    const char *file; /* as this side has it; NULL where the row is not in it */
    int32_t line;     /* of the call; of a function the first; 0 where not known */
    uint32_t seen;    /* in how many runs */
    uint64_t *values; /* metric * runs + run; owned; NULL where the row is not in it */
    struct pinsight_diff_stat stats[PINSIGHT_DIFF_METRIC_COUNT];
};

struct pinsight_diff_row {
    enum pinsight_diff_kind kind;
    const char *name;
    const char *function; /* that the line is in; NULL of functions and without Python */
    bool waits;           /* a C callable that waits for others, or a call of MPI by mpi4py */
    bool compared;        /* false: its kind is in one side alone */
    bool steady;          /* single calls are known in all runs: there is PINSIGHT_DIFF_STEADY */
    enum pinsight_diff_basis basis;        /* what verdict is on */
    struct pinsight_diff_stat relative[2]; /* steady time, were all runs as fast as the fastest; 0
                                              where runs cannot be compared */
    struct pinsight_diff_side sides[2];
    bool beyond[PINSIGHT_DIFF_METRIC_COUNT]; /* larger than the noise; false where not known */
    enum pinsight_diff_verdict verdict;      /* on self time */
    enum pinsight_diff_verdict wait_verdict; /* of MPI, on time in wait states */
};

struct pinsight_diff; /* see state.h */

struct pinsight_diff *pinsight_diff_new(const struct pinsight_diff_options *options);
void pinsight_diff_free(struct pinsight_diff *diff);

/* Adds a run to a side, 0 is A and 1 is B. What is kept of the report is copied. */
void pinsight_diff_add(struct pinsight_diff *diff, unsigned side,
                       const struct pinsight_report *report);

/* Matches, judges and sorts the rows, when all runs are there. */
void pinsight_diff_finish(struct pinsight_diff *diff);

/* All changes together, without what only waits. */
struct pinsight_diff_outcome {
    int64_t change_ns;                    /* how much more time B takes */
    double percent;                       /* that, of A's time without what only waits */
    const struct pinsight_diff_row *most; /* the largest change of that sign; NULL for none */
};
struct pinsight_diff_outcome pinsight_diff_outcome(const struct pinsight_diff *diff);

/* The same as a sentence without a full stop, to be freed; NULL where there is no change, or where
 * noise is not known. */
char *pinsight_diff_sentence(const struct pinsight_diff *diff);

/* The forms. Each returns 0, or -1 with errno set where out could not be written. */
int pinsight_diff_text(const struct pinsight_diff *diff, FILE *out);
int pinsight_diff_json(const struct pinsight_diff *diff, FILE *out);

#endif
