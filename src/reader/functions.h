/* What ran, with its times: functions, C callables, the lines that call them, their groups and the
 * call tree; and what of Python is summed up beside them. Numbers of them (`uint32_t`) are indexes
 * into the arrays of struct pinsight_model; PINSIGHT_NONE is none. */
#ifndef PINSIGHT_READER_FUNCTIONS_H
#define PINSIGHT_READER_FUNCTIONS_H

#include "reader/extremes.h"
#include "reader/kit/histogram.h"

#include <stdbool.h>
#include <stdint.h>

#define PINSIGHT_NONE UINT32_MAX

enum pinsight_kind {
    PINSIGHT_FUNCTION, /* a Python function */
    PINSIGHT_C_CALL,   /* a call from Python into C; the number is that of its call site */
    PINSIGHT_REGION,   /* of windows and of what MONITORING counts: a region of native code */
};

/* How a frame began and ended; the values are those of the events. */
enum { PINSIGHT_HOW_START = 0, PINSIGHT_HOW_RESUME = 1, PINSIGHT_HOW_THROW = 2 };
/* An exception ended a function, or a call of C. */
enum { PINSIGHT_HOW_UNWIND = 2, PINSIGHT_HOW_RAISE = 1, PINSIGHT_HOW_LOST = 3 };

/* What was seen of one thing that runs. A slice is one stay on the stack: a whole call, or a
 * generator's time between two yields. */
struct pinsight_stats {
    uint64_t calls;     /* begins that are calls, not resumptions */
    uint64_t slices;    /* stays on the stack that ended */
    uint64_t total_ns;  /* with what it called; of a recursion the outermost counts */
    uint64_t self_ns;   /* without what it called */
    uint64_t openmp_ns; /* of self_ns, what OpenMP regions took that no other region started */
    uint64_t away_ns;   /* of self_ns, where clocks of threads are known: without a processor */
    uint64_t ready_ns;  /* of away_ns, it wanted a processor */
    uint64_t sum_ns;    /* of all slices, nested ones too */
    uint64_t raised;    /* of the slices, those that an exception ended; */
    uint64_t raised_ns; /* and how long they took, of a recursion the outermost */
    uint64_t min_ns;    /* shortest and longest slice; not set while slices is 0 */
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

/* What MONITORING counted in the program itself. */
struct pinsight_monitored {
    uint64_t calls, total_ns, self_ns;
    uint64_t sum_ns; /* of executions by call path: of a recursion each counts */
    uint64_t max_ns; /* the longest of them; 0 where it is not known */
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
    int32_t line;                /* first line, 0 where it is not known */
    uint32_t group;              /* number of its module or file, see group_by */
    bool known;                  /* its name was in the trace */
    uint32_t last_site;          /* of a C call that it made last, plus one; 0 for none */
    struct pinsight_stats stats;
    struct pinsight_monitored counted;
    struct pinsight_histogram
        *histogram; /* of the self times of its slices; NULL unless asked for */
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
    uint32_t next; /* the one that its caller called at after it, plus one; 0 for none */
    struct pinsight_stats stats;
    struct pinsight_monitored counted;    /* by call path */
    struct pinsight_histogram *histogram; /* as of a function */
};

/* Functions and callees of one module, or of one file. */
struct pinsight_group {
    uint32_t name;
    uint64_t calls, c_calls;
    uint64_t total_ns;   /* something of the group was on the stack */
    uint64_t self_ns[2]; /* by enum pinsight_kind */
    struct pinsight_monitored counted[2];
};

/* A node of the call tree: a function or callee as called from its parent. */
struct pinsight_node {
    uint32_t parent; /* PINSIGHT_NONE for an outermost one */
    enum pinsight_kind kind;
    uint32_t id; /* function or callee */
    uint64_t calls, total_ns, self_ns, away_ns;
};

/* A module as imported from its parent, in one process. */
struct pinsight_import {
    struct pinsight_process *process;
    uint32_t parent; /* PINSIGHT_NONE for one that was imported from no other */
    uint32_t module;
    uint64_t count, failed; /* failed: raised an exception */
    uint64_t total_ns, self_ns;
    uint64_t first_ns; /* when it first began */
};

/* Collections of garbage by what of Python they struck: the innermost function and its line. */
#define PINSIGHT_GENERATIONS 3
struct pinsight_garbage {
    uint32_t path;     /* see paths.h; where it is PINSIGHT_NONE the function is known alone: */
    uint32_t function; /* or PINSIGHT_NONE */
    uint64_t count[PINSIGHT_GENERATIONS]; /* by generation, later ones with the last */
    uint64_t total_ns, max_ns;
    uint64_t
        self_ns; /* without the Python that they ran: finalisers, callbacks of weak references */
    struct pinsight_monitored counted; /* what of all that MONITORING counted */
    uint64_t collected, uncollectable; /* objects */
};

/* What one line asked for of Python's memory. */
struct pinsight_allocated {
    uint32_t path; /* of the line alone, see paths.h; PINSIGHT_NONE: no Python */
    uint64_t count, bytes;
    uint64_t blocks, live_bytes, peak_bytes; /* that were not given back, where that is known */
    bool has_live;
};

#endif
