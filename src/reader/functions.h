/* Functions, C callables, the lines that call them, their groups and the call tree, with their
 * times. Also other sums about Python. All numbers (`uint32_t`) are indexes into the arrays of
 * struct pinsight_model. PINSIGHT_NONE is no number. */
#ifndef PINSIGHT_READER_FUNCTIONS_H
#define PINSIGHT_READER_FUNCTIONS_H

#include "reader/data/histogram.h"
#include "reader/extremes.h"

#include <stdbool.h>
#include <stdint.h>

#define PINSIGHT_NONE UINT32_MAX

enum pinsight_kind {
    PINSIGHT_FUNCTION, /* a Python function */
    PINSIGHT_C_CALL,   /* a call from Python into C, with the number of its call site */
    PINSIGHT_REGION,   /* a region of native code, in windows and in the counts of MONITORING */
};

/* How a frame begins; the values are those of the events. */
enum { PINSIGHT_HOW_START = 0, PINSIGHT_HOW_RESUME = 1, PINSIGHT_HOW_THROW = 2 };
/* How a frame ends without a return: by an exception of a function, by one of a C call, or
 * unseen. */
enum { PINSIGHT_HOW_UNWIND = 2, PINSIGHT_HOW_RAISE = 1, PINSIGHT_HOW_LOST = 3 };

/* The sums of a function, callable or call site. A slice is one stay on the stack: a whole call, or
 * a generator's time between two yields. */
struct pinsight_stats {
    uint64_t calls;     /* begins that are calls, not resumptions */
    uint64_t slices;    /* stays on the stack that have ended */
    uint64_t total_ns;  /* with inner calls; of a recursion only the outermost counts */
    uint64_t self_ns;   /* without inner calls */
    uint64_t openmp_ns; /* of self_ns, the time in OpenMP regions that no other region started */
    uint64_t away_ns;   /* of self_ns, without a processor; if clocks are known */
    uint64_t ready_ns;  /* of away_ns, the time in which it wanted a processor */
    uint64_t sum_ns;    /* of all slices, nested ones too */
    uint64_t raised;    /* slices that an exception ended */
    uint64_t raised_ns; /* their duration; of a recursion only the outermost counts */
    uint64_t min_ns;    /* shortest and longest slice; undefined while slices is 0 */
    uint64_t max_ns;
};

static inline void pinsight_stats_add(struct pinsight_stats *to,
                                      const struct pinsight_stats *more) {
    if (more->slices)
        pinsight_extremes_add(&to->min_ns, &to->max_ns, !to->slices, more->min_ns, more->max_ns);
    to->calls += more->calls;
    to->slices += more->slices;
    to->total_ns += more->total_ns;
    to->self_ns += more->self_ns;
    to->openmp_ns += more->openmp_ns;
    to->away_ns += more->away_ns;
    to->ready_ns += more->ready_ns;
    to->sum_ns += more->sum_ns;
    to->raised += more->raised;
    to->raised_ns += more->raised_ns;
}

/* Counts of MONITORING, from the program itself. */
struct pinsight_monitored {
    uint64_t calls, total_ns, self_ns;
    uint64_t sum_ns; /* of executions by call path, all of a recursion */
    uint64_t max_ns; /* the longest of these executions; 0 if unknown */
};

static inline void pinsight_monitored_add(struct pinsight_monitored *to,
                                          const struct pinsight_monitored *more) {
    to->calls += more->calls;
    to->total_ns += more->total_ns;
    to->self_ns += more->self_ns;
    to->sum_ns += more->sum_ns;
    to->max_ns = more->max_ns > to->max_ns ? more->max_ns : to->max_ns;
}

struct pinsight_function {
    uint32_t name, file, module; /* in the model's strings */
    int32_t line;                /* first line, 0 if unknown */
    uint32_t group;              /* number of its module or file; see group_by */
    bool known;                  /* the trace has its name */
    uint32_t last_site;          /* the site of its last C call, plus one; 0 if there is none */
    struct pinsight_stats stats;
    struct pinsight_monitored counted;
    /* Distribution of the self times of its slices; NULL unless asked for. */
    struct pinsight_histogram *histogram;
};

struct pinsight_callee {
    uint32_t name, module;
    uint32_t group;
    bool known;
    struct pinsight_stats stats;
    struct pinsight_monitored counted;
};

/* One line of one function that calls one C callable. */
struct pinsight_site {
    uint32_t callee;
    uint32_t caller; /* a function, or PINSIGHT_NONE */
    int32_t line;
    uint32_t next; /* the next site of its caller, plus one; 0 if there is none */
    struct pinsight_stats stats;
    struct pinsight_monitored counted;    /* sums over call paths */
    struct pinsight_histogram *histogram; /* like that of a function */
};

/* Functions and callees of one module, or of one file. */
struct pinsight_group {
    uint32_t name;
    uint64_t calls, c_calls;
    uint64_t total_ns;   /* time in which a frame of the group was on the stack */
    uint64_t self_ns[2]; /* by enum pinsight_kind */
    struct pinsight_monitored counted[2];
};

/* A node of the call tree: a function or callee, called from its parent. */
struct pinsight_node {
    uint32_t parent; /* PINSIGHT_NONE for an outermost node */
    enum pinsight_kind kind;
    uint32_t id; /* function or callee */
    uint64_t calls, total_ns, self_ns, away_ns;
};

/* A module that was imported from its parent, in one process. */
struct pinsight_import {
    struct pinsight_process *process;
    uint32_t parent; /* PINSIGHT_NONE if no other module imported it */
    uint32_t module;
    uint64_t count, failed; /* `failed` imports raised an exception */
    uint64_t total_ns, self_ns;
    uint64_t first_ns; /* begin of the first import */
};

/* Garbage collections by the place in Python that they interrupted: the innermost function and its
 * line. */
#define PINSIGHT_GENERATIONS 3
struct pinsight_garbage {
    uint32_t path;     /* see paths.h; if it is PINSIGHT_NONE, only the function may be known: */
    uint32_t function; /* a function, or PINSIGHT_NONE */
    uint64_t count[PINSIGHT_GENERATIONS]; /* by generation; the last one has all later ones */
    uint64_t total_ns, max_ns;
    /* Without the Python that they ran: finalisers, callbacks of weak references. */
    uint64_t self_ns;
    struct pinsight_monitored counted; /* the part of all this that MONITORING counted */
    uint64_t collected, uncollectable; /* numbers of objects */
};

/* The memory that one line requested from Python. */
struct pinsight_allocated {
    uint32_t path; /* a path with only this line, see paths.h; PINSIGHT_NONE without Python */
    uint64_t count, bytes;
    /* Memory that was not freed; valid if has_live. */
    uint64_t blocks, live_bytes, peak_bytes;
    bool has_live;
};

#endif
