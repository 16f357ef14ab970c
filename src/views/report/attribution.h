/* What links Python and native work in a report: of each Python function and line the native work
 * that it caused, by domain; Python that caused none; and native work that no Python caused.
 *
 * All is told in two ways. Wall time is of the threads that run Python or start native work
 * themselves, the callers: whatever is open there innermost has the time, so that
 *   recorded = Python + C + collections of garbage + the wall times of all domains
 * in each thread and for all. Thread time is of all threads, with those of OpenMP's teams; of
 * devices it is that of all their streams. */
#ifndef PINSIGHT_VIEWS_ATTRIBUTION_H
#define PINSIGHT_VIEWS_ATTRIBUTION_H

#include "base/json.h"
#include "views/kit/table.h"
#include "views/report/report.h"

/* The rows of a table; see views/report/tables.h. */
#define ATTRIBUTION_ROWS(rows, count)                                                              \
    REPORT_ROWS(attribution, struct pinsight_attribution_view, rows, count)

/* The domains of native code stand first among all. */
enum pinsight_attribution_domain {
    PINSIGHT_ATTRIBUTION_OPENMP = READER_OPENMP,
    PINSIGHT_ATTRIBUTION_MPI = READER_MPI,
    PINSIGHT_ATTRIBUTION_DOMAINS = READER_PYTHON,
};

struct pinsight_attribution_work {
    uint64_t calls;           /* OpenMP: regions that are in no other; else calls that returned */
    uint64_t wall_ns;         /* in callers */
    uint64_t wall_waiting_ns; /* of wall_ns: the thread is known to wait, as in a barrier; */
    uint64_t wall_away_ns;    /* it waited besides, as its clock tells; */
    uint64_t wall_ready_ns;   /* and it wanted a processor and had none, likewise */
    uint64_t thread_ns;       /* in all threads, or in streams of devices */
    uint64_t waiting_ns;      /* of thread_ns: likewise; MPI: in wait states, see mpi.h; of devices:
                                 of wall_ns, in calls that wait for one */
    uint64_t sent_bytes, received_bytes; /* of devices: copied to them, and from them */
};

/* Of times of Python and of C, as far as clocks of threads tell: while the thread had no processor.
 */
struct pinsight_attribution_away {
    uint64_t python_ns, c_ns;
    uint64_t ready_ns; /* of both, it wanted one */
};

/* A function of the user's, with the libraries that it called and that called nothing of the user's
 * in turn. Its times add up to all that it took. */
struct pinsight_attribution_function {
    const char *name; /* NULL for Python of which no function is known */
    const char *file;
    int32_t line;                          /* first line */
    uint64_t python_ns;                    /* Python code */
    uint64_t c_ns;                         /* called from Python, with nothing of a domain in it */
    uint64_t gc_ns;                        /* collections of garbage that struck it */
    struct pinsight_attribution_away away; /* of these two */
    struct pinsight_attribution_work work[PINSIGHT_ATTRIBUTION_DOMAINS];
    uint64_t calls; /* of the function, as far as they were traced or counted; from begin to end: */
    uint64_t sum_ns; /* all of them, */
    uint64_t max_ns; /* and the longest, where has_max; of a generator between two yields */
    bool has_max;
    uint32_t call;       /* that took most, an index; PINSIGHT_NONE for none */
    bool users;          /* it is the user's */
    uint64_t resting_ns; /* of what it waited: in threads that only wait, while others work */
    /* In a row for a screen: what the domains' wall times are without. */
    uint64_t waiting_ns, ready_ns;
    uint32_t order; /* while they are sorted */
};

/* What one line of such a function calls: a C callable, or a Python function. */
struct pinsight_attribution_call {
    uint32_t function;                /* index */
    int32_t line;                     /* 0 where it is not known */
    uint8_t kind;                     /* enum pinsight_kind */
    bool is_users;                    /* the callee is the user's */
    const char *callee, *callee_file; /* the file of a Python function, else NULL */
    int32_t callee_line;
    uint64_t calls;
    uint64_t total_ns; /* from begin to end */
    uint64_t ns;       /* of that, what is the caller's: no other function of the user's had it */
    uint64_t away_ns;  /* of ns, without a processor */
    uint64_t ready_ns; /* of away_ns, it wanted one */
    uint64_t native_ns, native_away_ns, native_ready_ns; /* of these, in native work of a domain */
    uint64_t max_ns; /* where calls were counted: the longest, from begin to end */
};

/* What a function of the user's ran, and waited, in one process, in Python and C. */
struct pinsight_attribution_part {
    uint32_t function; /* index */
    const struct pinsight_process *process;
    uint64_t running_ns, waiting_ns;
    uint64_t ready_ns; /* besides: it wanted a processor and had none */
};

/* How long a function of the user's ran in one thread, with native work. */
struct pinsight_attribution_share {
    uint32_t function; /* index */
    const struct pinsight_process *process;
    const struct pinsight_thread *thread; /* NULL where that is not known */
    uint64_t running_ns;
};

/* Imports of a package, with all that they imported; see attribution_walk.h. */
struct pinsight_attribution_import {
    char *package;    /* NULL where it has no name */
    const char *file; /* of the user's line that imports most of it, or NULL */
    int32_t line;
    uint64_t line_ns; /* what that took */
    uint64_t python_ns, c_ns;
    uint64_t counted_ns; /* besides: where they were counted, its own modules alone */
    struct pinsight_attribution_away away;
};

/* A line of such a function; where it computes gradients, for one line of the forward pass. */
struct pinsight_attribution_line {
    uint32_t function; /* index */
    int32_t line;
    const char *forward_name, *forward_file; /* of that line; NULL without */
    int32_t forward_line;
    uint64_t c_calls, c_ns; /* that it made itself */
    struct pinsight_attribution_work work[PINSIGHT_ATTRIBUTION_DOMAINS];
};

/* A thread: busy (something of Python open) = python + c + gc + all under. */
struct pinsight_attribution_thread {
    const struct pinsight_thread *thread;
    uint64_t wall_ns; /* from its first event to its last; of a main one its process's; 0 for no
                         caller */
    uint64_t python_ns, c_ns, gc_ns;
    struct pinsight_attribution_away away;
    uint64_t under_ns[PINSIGHT_ATTRIBUTION_DOMAINS]; /* wall time while Python was open */
    uint64_t alone_ns[PINSIGHT_ATTRIBUTION_DOMAINS]; /* and while not */
    uint64_t team_ns[PINSIGHT_ATTRIBUTION_DOMAINS];  /* in what another thread started */
    /* Part of c_ns and python_ns: native work that MONITORING counted, outside imports. */
    uint64_t counted_native_ns[PINSIGHT_ATTRIBUTION_DOMAINS];
    uint64_t native_away_ns;  /* of under_ns and alone_ns, it waited; */
    uint64_t native_ready_ns; /* and it wanted a processor and had none */
    uint64_t gap_ns;          /* of wall_ns, with nothing recorded open */
    bool python;              /* Python ran in it, recorded or not */
    bool users;               /* and a function of the user's did */
    bool idle;                /* see struct pinsight_attribution_idle */
    bool rests; /* functions of the user's ran in it, but it only waited, while others worked */
};

/* Threads that no function of the user's ran in, and that did nothing but wait: those of libraries,
 * and daemon threads. */
struct pinsight_attribution_idle {
    uint32_t threads;
    uint64_t wall_ns, python_ns, c_ns; /* in the totals of the view, too */
    struct pinsight_attribution_away away;
};

struct pinsight_attribution_view {
    struct pinsight_attribution_function *functions; /* by all that they took */
    size_t function_count;
    struct pinsight_attribution_line *lines; /* by wall time of native work */
    size_t line_count;
    struct pinsight_attribution_call *calls; /* by function, then by what they took */
    size_t call_count;
    struct pinsight_attribution_part *parts; /* in no order */
    size_t part_count;
    struct pinsight_attribution_share *shares; /* likewise */
    size_t share_count;
    struct pinsight_attribution_import *imports; /* by time */
    size_t import_count;
    struct pinsight_attribution_import all_imports; /* which no function has; without package */
    uint64_t *imports_ns;                           /* of each process, by its index */
    struct pinsight_attribution_thread *threads;
    size_t thread_count;
    struct pinsight_attribution_work
        alone[PINSIGHT_ATTRIBUTION_DOMAINS]; /* that no Python caused */
    struct pinsight_attribution_work all[PINSIGHT_ATTRIBUTION_DOMAINS];
    struct pinsight_monitored
        counted[PINSIGHT_ATTRIBUTION_DOMAINS]; /* by MONITORING: not in the above */
    struct pinsight_monitored counted_gc;      /* likewise, collections of garbage */
    uint64_t python_ns, c_ns, gc_ns;
    struct pinsight_attribution_away away;
    uint64_t recorded_ns, wall_ns; /* of all callers */
    uint64_t elsewhere_ns;         /* of wall_ns, with nothing recorded open */
    uint64_t native_ns; /* of that, in callers without Python: the program's native code */
    uint64_t unseen_ns; /* and in callers with Python of which nothing was recorded */
    uint32_t callers;
    struct pinsight_attribution_idle idle; /* of the callers, those that only waited */
    uint32_t resting; /* threads of the user's that did, see struct pinsight_attribution_thread */
};

static inline uint64_t pinsight_attribution_away_ns(const struct pinsight_attribution_away *away) {
    return away->python_ns + away->c_ns;
}
static inline uint64_t
pinsight_attribution_waiting_ns(const struct pinsight_attribution_away *away) {
    return pinsight_attribution_away_ns(away) - away->ready_ns;
}

static inline void pinsight_attribution_away_add(struct pinsight_attribution_away *to,
                                                 const struct pinsight_attribution_away *more) {
    to->python_ns += more->python_ns;
    to->c_ns += more->c_ns;
    to->ready_ns += more->ready_ns;
}

struct pinsight_attribution_maker;
struct pinsight_attribution_walk;

/* Made from what was walked, and from the model, once; freed with the report. */
struct pinsight_attribution_view *
pinsight_attribution_make(const struct pinsight_report *report,
                          const struct pinsight_attribution_walk *walk);
void pinsight_attribution_free(struct pinsight_attribution_view *view);

/* For a domain: adds work that a Python call path caused, or no Python (PINSIGHT_NONE), for the
 * gradient of the operation at another path (or likewise); and what MONITORING counted. */
void pinsight_attribution_add(struct pinsight_attribution_maker *maker, uint32_t path,
                              uint32_t forward, unsigned domain,
                              const struct pinsight_attribution_work *work);
void pinsight_attribution_count(struct pinsight_attribution_maker *maker, unsigned domain,
                                const struct pinsight_monitored *counted);

/* A domain's word, as "openmp", and its name for people. */
const char *pinsight_attribution_word(unsigned domain);
const char *pinsight_attribution_name(unsigned domain);

/* How long a function, and what it called, ran; and how long it waited meanwhile. */
uint64_t pinsight_attribution_running_ns(const struct pinsight_attribution_function *function);
uint64_t
pinsight_attribution_function_waiting_ns(const struct pinsight_attribution_function *function);

/* What of its waiting tells of the program: not that of a thread that is there to wait. */
static inline uint64_t
pinsight_attribution_waited_ns(const struct pinsight_attribution_function *function) {
    return pinsight_time_rest(pinsight_attribution_function_waiting_ns(function),
                              function->resting_ns);
}

/* What it ran and waited: rows are sorted by it. */
static inline uint64_t
pinsight_attribution_took_ns(const struct pinsight_attribution_function *function) {
    return pinsight_attribution_running_ns(function) + pinsight_attribution_waited_ns(function);
}

/* How long a thread ran, in Python, C and native work. */
uint64_t pinsight_attribution_thread_running_ns(const struct pinsight_attribution_thread *thread);

/* The time of the threads that did something. */
static inline uint64_t
pinsight_attribution_worked_ns(const struct pinsight_attribution_view *view) {
    return pinsight_time_rest(view->wall_ns, view->idle.wall_ns);
}

/* All the time of an import that was recorded; and what it took: without that in which it wanted a
 * processor, and with what was counted. */
static inline uint64_t
pinsight_attribution_import_ns(const struct pinsight_attribution_import *import) {
    return import->python_ns + import->c_ns;
}
static inline uint64_t
pinsight_attribution_import_took(const struct pinsight_attribution_import *import) {
    return pinsight_attribution_import_ns(import) - import->away.ready_ns + import->counted_ns;
}

/* Whether functions of the user's tell of the program. The few lines by which a package is started
 * (those of a script in bin/) do not. */
bool pinsight_attribution_has_users(const struct pinsight_attribution_view *view);

/* Adds the times of one to another's. */
void pinsight_attribution_function_add(struct pinsight_attribution_function *to,
                                       const struct pinsight_attribution_function *from);

uint64_t pinsight_attribution_function_ns(const struct pinsight_attribution_function *function);
/* The wall times of all domains: only these are set. */
struct pinsight_attribution_work
pinsight_attribution_wall(const struct pinsight_attribution_work *work);
/* Adds the work of one domain to another's. */
void pinsight_attribution_work_add(struct pinsight_attribution_work *to,
                                   const struct pinsight_attribution_work *from);
/* Whether there is anything of a domain. */
bool pinsight_attribution_any(const struct pinsight_attribution_work *work);

/* The call in which a function spends most of its time, where that is a good part of it; else NULL.
 */
const struct pinsight_attribution_call *
pinsight_attribution_most(const struct pinsight_attribution_view *view,
                          const struct pinsight_attribution_function *row);

/* The forms. */
/* All functions, with the rows that make them add up. */
void pinsight_attribution_print_functions(const struct pinsight_report *report, FILE *out,
                                          size_t limit);
extern const struct pinsight_table pinsight_attribution_function_table;
/* What the user's lines call, and imports; in JSON. */
extern const struct pinsight_table pinsight_attribution_call_table,
    pinsight_attribution_import_table;
/* The columns of struct pinsight_attribution_away. */
extern const struct pinsight_table pinsight_attribution_away_table;
/* The members of an object: the work of each domain. */
void pinsight_attribution_write_work(struct pinsight_json *json,
                                     const struct pinsight_printing *printing,
                                     const struct pinsight_attribution_work *work);
void pinsight_section_attribution_brief(const struct pinsight_report *report, FILE *out,
                                        size_t limit);

#endif
