/*
 * Links Python and native work in a report. Each Python function and line has the native work that
 * it caused, by domain. Python without native work has rows, too, and so has native work without
 * Python.
 *
 * There are two kinds of time. Wall time is that of the callers: threads that run Python, or that
 * start native work themselves. The innermost open slice has the time, so that in each thread and
 * for all
 *
 *     recorded = Python + C + collections of garbage + the wall times of all domains
 *
 * Thread time is that of all threads, with OpenMP's teams. For devices, it is the time of all their
 * streams.
 */
#ifndef PINSIGHT_VIEWS_ATTRIBUTION_H
#define PINSIGHT_VIEWS_ATTRIBUTION_H

#include "base/json.h"
#include "views/kit/table.h"
#include "views/report/report.h"

/* The place of a table's rows in the view; see views/report/tables.h. */
#define ATTRIBUTION_ROWS(rows, count)                                                              \
    REPORT_ROWS(attribution, struct pinsight_attribution_view, rows, count)

/* The domains of native code, which stand before all others. */
enum pinsight_attribution_domain {
    PINSIGHT_ATTRIBUTION_OPENMP = READER_OPENMP,
    PINSIGHT_ATTRIBUTION_MPI = READER_MPI,
    PINSIGHT_ATTRIBUTION_DOMAINS = READER_PYTHON,
};

struct pinsight_attribution_work {
    uint64_t calls;           /* OpenMP: outermost regions; else calls that returned */
    uint64_t wall_ns;         /* in callers */
    uint64_t wall_waiting_ns; /* part of wall_ns in which a known wait goes on, such as a barrier */
    uint64_t wall_away_ns;  /* further part of wall_ns in which the thread's clock shows waiting */
    uint64_t wall_ready_ns; /* part of wall_ns in which the thread was ready without a processor */
    uint64_t thread_ns;     /* in all threads, or in streams of devices */
    /* The waiting part of thread_ns. For MPI, it is the time in wait states, see mpi.h. For
     * devices, it is the part of wall_ns in calls that wait for a device. */
    uint64_t waiting_ns;
    uint64_t sent_bytes, received_bytes; /* for devices: copied to them, and from them */
};

/* The parts of Python's and C's time without a processor, as far as thread clocks show them. */
struct pinsight_attribution_away {
    uint64_t python_ns, c_ns;
    uint64_t ready_ns; /* part of both in which the thread was ready to run */
};

/* A function of the user's, with the libraries that it called. Library calls into other functions
 * of the user's are left out. The times add up to all its time. */
struct pinsight_attribution_function {
    const char *name; /* NULL for Python without a known function */
    const char *file;
    int32_t line;         /* first line */
    uint64_t python_ns;   /* in Python code */
    uint64_t c_ns;        /* in C called from Python, except native work of a domain */
    uint64_t gc_ns;       /* in garbage collections that interrupted it */
    uint64_t gc_ready_ns; /* of gc_ns, without a processor that it wanted */
    struct pinsight_attribution_away away; /* parts of the two times above */
    struct pinsight_attribution_work work[PINSIGHT_ATTRIBUTION_DOMAINS];
    uint64_t calls;    /* of the function, traced or counted */
    uint64_t sum_ns;   /* all calls together, from begin to end */
    uint64_t total_ns; /* like sum_ns, but calls within a call of the same function count once */
    /* The longest call, if has_max is set. For a generator, it lies between two yields. */
    uint64_t max_ns;
    bool is_resumed; /* a generator or a coroutine, which resumes more often than it is called */
    bool has_max;
    bool in_part;        /* a budget left out later calls */
    uint32_t call;       /* index of the call with the most time; PINSIGHT_NONE without */
    bool users;          /* it is the user's function */
    uint64_t resting_ns; /* waiting in threads that only wait, while others work */
    /* Its line that waited longest for a lock without a call, as `with lock` does; 0 if none did.
     */
    int32_t wait_line;
    uint64_t wait_ns; /* the wait of that line */
    /* For a row on a screen: parts that the domains' wall times leave out. */
    uint64_t waiting_ns, ready_ns;
    uint32_t order; /* used while the functions are sorted */
};

/* Calls of one callee from one line of a function: a C callable, or a Python function. */
struct pinsight_attribution_call {
    uint32_t function;                /* index */
    int32_t line;                     /* 0 if unknown */
    uint8_t kind;                     /* enum pinsight_kind */
    bool is_users;                    /* the callee is the user's function */
    const char *callee, *callee_file; /* file of a Python function, else NULL */
    int32_t callee_line;
    uint64_t calls;
    uint64_t total_ns; /* from begin to end */
    uint64_t ns;       /* part of total_ns outside other functions of the user's */
    uint64_t away_ns;  /* part of ns without a processor */
    uint64_t ready_ns; /* part of away_ns in which the thread was ready to run */
    uint64_t native_ns, native_away_ns, native_ready_ns; /* in native work */
    uint64_t max_ns; /* the longest counted call, from begin to end */
};

/* Time that a function of the user's ran and waited in one process, in Python and C. */
struct pinsight_attribution_part {
    uint32_t function; /* index */
    const struct pinsight_process *process;
    uint64_t running_ns, waiting_ns;
    uint64_t ready_ns; /* further time, ready without a processor */
    uint64_t calls;    /* ended calls of the function; for a generator, its slices */
};

/* Time that a function of the user's ran in one thread, with native work. */
struct pinsight_attribution_share {
    uint32_t function; /* index */
    const struct pinsight_process *process;
    const struct pinsight_thread *thread; /* NULL if unknown */
    uint64_t running_ns;
};

/* Imports of a package, with all imports within them; see attribution_walk.h. */
struct pinsight_attribution_import {
    char *package;    /* NULL without a name */
    const char *file; /* of the user's line with the most of these imports; or NULL */
    int32_t line;
    uint64_t line_ns; /* time of that line */
    uint64_t python_ns, c_ns;
    uint64_t counted_ns; /* further time of counted imports, in the package's own modules */
    struct pinsight_attribution_away away;
};

/* A line of such a function. If it computes gradients, a line of the forward pass belongs to it. */
struct pinsight_attribution_line {
    uint32_t function; /* index */
    int32_t line;
    const char *forward_name, *forward_file; /* of the forward line; or NULL */
    int32_t forward_line;
    uint64_t c_calls, c_ns; /* C calls that the line makes itself */
    struct pinsight_attribution_work work[PINSIGHT_ATTRIBUTION_DOMAINS];
};

/* The times of a thread. Python is open in it for python + c + gc + all of under_ns. */
struct pinsight_attribution_thread {
    const struct pinsight_thread *thread;
    /* From the thread's first event to its last, or for a main thread the time of its process. The
     * time is 0 if the thread is no caller. */
    uint64_t wall_ns;
    uint64_t python_ns, c_ns, gc_ns;
    uint64_t gc_ready_ns; /* of gc_ns, without a processor that it wanted */
    struct pinsight_attribution_away away;
    uint64_t under_ns[PINSIGHT_ATTRIBUTION_DOMAINS]; /* wall time within Python */
    uint64_t alone_ns[PINSIGHT_ATTRIBUTION_DOMAINS]; /* wall time outside Python */
    uint64_t team_ns[PINSIGHT_ATTRIBUTION_DOMAINS];  /* time in work that another thread started */
    /* Part of c_ns and python_ns: native work that MONITORING counted, outside imports. */
    uint64_t counted_native_ns[PINSIGHT_ATTRIBUTION_DOMAINS];
    uint64_t imported_mpi_ns; /* counted calls of MPI within imports, which is mostly MPI_Init */
    uint64_t native_away_ns;  /* waiting part of under_ns and alone_ns */
    uint64_t native_ready_ns; /* part of these in which it was ready without a processor */
    uint64_t gap_ns;          /* part of wall_ns without any open slice */
    bool python;              /* Python ran in it, recorded or not */
    bool users;               /* a function of the user's ran in it */
    bool idle;                /* see struct pinsight_attribution_idle */
    /* The thread ran functions of the user's, but only waited while others worked. */
    bool rests;
};

/* Threads without functions of the user's that did nothing but wait, such as threads of libraries,
 * and daemon threads. */
struct pinsight_attribution_idle {
    uint32_t threads;
    uint64_t wall_ns, python_ns, c_ns; /* part of the view's totals, too */
    struct pinsight_attribution_away away;
};

struct pinsight_attribution_view {
    struct pinsight_attribution_function *functions; /* sorted by all their time */
    size_t function_count;
    struct pinsight_attribution_line *lines; /* sorted by wall time of native work */
    size_t line_count;
    struct pinsight_attribution_call *calls; /* sorted by function, then by time */
    size_t call_count;
    struct pinsight_attribution_part *parts; /* unsorted */
    size_t part_count;
    struct pinsight_attribution_share *shares; /* unsorted */
    size_t share_count;
    struct pinsight_attribution_import *imports; /* sorted by time */
    size_t import_count;
    /* The imports of the user's own modules, by module, without imports within them. Functions of
     * the user's have these times, too. Each has the module as its package. Sorted by time. */
    struct pinsight_attribution_import *own_imports;
    size_t own_import_count;
    /* The sum of all imports, which no function has; without package. */
    struct pinsight_attribution_import all_imports;
    uint64_t *imports_ns; /* by the index of a process */
    struct pinsight_attribution_thread *threads;
    size_t thread_count;
    struct pinsight_attribution_work
        /* Work without Python above it. */
        alone[PINSIGHT_ATTRIBUTION_DOMAINS];
    struct pinsight_attribution_work all[PINSIGHT_ATTRIBUTION_DOMAINS];
    struct pinsight_monitored
        /* Counted by MONITORING, and not part of the sums above. */
        counted[PINSIGHT_ATTRIBUTION_DOMAINS];
    struct pinsight_monitored counted_gc; /* counted garbage collections */
    uint64_t python_ns, c_ns, gc_ns;
    uint64_t gc_ready_ns; /* of gc_ns, without a processor that they wanted */
    struct pinsight_attribution_away away;
    uint64_t recorded_ns, wall_ns; /* of all callers */
    uint64_t elsewhere_ns;         /* part of wall_ns without any open slice */
    /* Part of elsewhere_ns in callers without Python: the program's native code. */
    uint64_t native_ns;
    /* Part of elsewhere_ns in callers whose Python was not recorded. */
    uint64_t unseen_ns;
    uint32_t callers;
    struct pinsight_attribution_idle idle; /* callers that only waited */
    uint32_t resting; /* number of threads with `rests`, see struct pinsight_attribution_thread */
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

/* Makes the view from a walk and from the model. The report makes it once, and frees it at its
 * end. */
struct pinsight_attribution_view *
pinsight_attribution_make(const struct pinsight_report *report,
                          const struct pinsight_attribution_walk *walk);
void pinsight_attribution_free(struct pinsight_attribution_view *view);

/* Add work, and counts of MONITORING, for a domain. `path` is the Python call path that caused the
 * work, or PINSIGHT_NONE. `forward` is the path of the operation whose gradient the work computes,
 * or PINSIGHT_NONE. */
void pinsight_attribution_add(struct pinsight_attribution_maker *maker, uint32_t path,
                              uint32_t forward, unsigned domain,
                              const struct pinsight_attribution_work *work);
void pinsight_attribution_count(struct pinsight_attribution_maker *maker, unsigned domain,
                                const struct pinsight_monitored *counted);
/* Adds waits of a path, in ns, to a function of the user's that waited itself. Its row has the line
 * with the longest wait. */
void pinsight_attribution_wait(struct pinsight_attribution_maker *maker, uint32_t path,
                               uint64_t ns);

/* Return a domain's word, such as "openmp", and its name for people. */
const char *pinsight_attribution_word(unsigned domain);
const char *pinsight_attribution_name(unsigned domain);

/* Return how long a function and its callees ran, and how long they waited, in ns. */
uint64_t pinsight_attribution_running_ns(const struct pinsight_attribution_function *function);
uint64_t
pinsight_attribution_function_waiting_ns(const struct pinsight_attribution_function *function);

/* Returns the waiting time that concerns the program. The time leaves out threads that are there to
 * wait. */
static inline uint64_t
pinsight_attribution_waited_ns(const struct pinsight_attribution_function *function) {
    return pinsight_time_rest(pinsight_attribution_function_waiting_ns(function),
                              function->resting_ns);
}

/* Returns the time that a function ran and waited, by which rows are sorted. */
static inline uint64_t
pinsight_attribution_took_ns(const struct pinsight_attribution_function *function) {
    return pinsight_attribution_running_ns(function) + pinsight_attribution_waited_ns(function);
}

/* Returns how long a thread ran in Python, C and native work, in ns. */
uint64_t pinsight_attribution_thread_running_ns(const struct pinsight_attribution_thread *thread);

/* Returns the time of all active threads from begin to end, recorded or not, in ns. It is not what
 * shares refer to, see whole_ns in report.h. */
static inline uint64_t
pinsight_attribution_worked_ns(const struct pinsight_attribution_view *view) {
    return pinsight_time_rest(view->wall_ns, view->idle.wall_ns);
}

/* Returns what shares refer to in tables that have the rows of idle threads, too. */
static inline uint64_t
pinsight_attribution_whole_with_idle_ns(const struct pinsight_report *report) {
    const struct pinsight_attribution_idle *idle = &report->attribution->idle;
    return report->whole_ns + idle->python_ns + idle->c_ns;
}

/* Return the recorded time of an import; and its cost. The cost leaves out time ready without a
 * processor, and adds counted time. */
static inline uint64_t
pinsight_attribution_import_ns(const struct pinsight_attribution_import *import) {
    return import->python_ns + import->c_ns;
}
static inline uint64_t
pinsight_attribution_import_took(const struct pinsight_attribution_import *import) {
    return pinsight_attribution_import_ns(import) - import->away.ready_ns + import->counted_ns;
}

/* Returns whether the user's functions represent the program. A script in bin/ with the few lines
 * that start a package does not. */
bool pinsight_attribution_has_users(const struct pinsight_attribution_view *view);

/* Adds the times of a function to those of another. */
void pinsight_attribution_function_add(struct pinsight_attribution_function *to,
                                       const struct pinsight_attribution_function *from);

uint64_t pinsight_attribution_function_ns(const struct pinsight_attribution_function *function);
/* Returns the sum of all domains' wall times. Other members are not set. */
struct pinsight_attribution_work
pinsight_attribution_wall(const struct pinsight_attribution_work *work);
/* Adds the work of a domain to that of another. */
void pinsight_attribution_work_add(struct pinsight_attribution_work *to,
                                   const struct pinsight_attribution_work *from);
/* Returns whether there is any work of a domain. */
bool pinsight_attribution_any(const struct pinsight_attribution_work *work);

/* Returns the call with most of a function's time, if it has a good part of the time. Returns NULL
 * otherwise. */
const struct pinsight_attribution_call *
pinsight_attribution_most(const struct pinsight_attribution_view *view,
                          const struct pinsight_attribution_function *row);

/* Writes all functions, with further rows so that the lines add up. */
void pinsight_attribution_print_functions(const struct pinsight_report *report, FILE *out,
                                          size_t limit);
extern const struct pinsight_table pinsight_attribution_function_table;
/* Tables for JSON: calls of the user's lines, and imports. */
extern const struct pinsight_table pinsight_attribution_call_table,
    pinsight_attribution_import_table, pinsight_attribution_own_import_table;
/* The inner table of struct pinsight_attribution_away. */
extern const struct pinsight_table pinsight_attribution_away_table;
/* Writes the work of each domain as members of an object. */
void pinsight_attribution_write_work(struct pinsight_json *json,
                                     const struct pinsight_printing *printing,
                                     const struct pinsight_attribution_work *work);
void pinsight_section_attribution_brief(const struct pinsight_report *report, FILE *out,
                                        size_t limit);

#endif
