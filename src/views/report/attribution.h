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
    /* In a row for a screen: what the domains' wall times are without. */
    uint64_t waiting_ns, ready_ns;
    uint32_t order; /* while they are sorted */
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
    uint64_t gap_ns;                                 /* of wall_ns, with nothing recorded open */
    bool python;                                     /* Python ran in it, recorded or not */
};

struct pinsight_attribution_view {
    struct pinsight_attribution_function *functions; /* by all that they took */
    size_t function_count;
    struct pinsight_attribution_line *lines; /* by wall time of native work */
    size_t line_count;
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

/* Of the time in which recorded threads ran, what functions of the user's took: from 0 to 1. */
double pinsight_attribution_users_share(const struct pinsight_attribution_view *view);

uint64_t pinsight_attribution_function_ns(const struct pinsight_attribution_function *function);
/* The wall times of all domains: only these are set. */
struct pinsight_attribution_work
pinsight_attribution_wall(const struct pinsight_attribution_work *work);
/* Whether there is anything of a domain. */
bool pinsight_attribution_any(const struct pinsight_attribution_work *work);

/* The forms. */
/* The functions alone, without the rows that make them add up. */
void pinsight_attribution_print_functions(const struct pinsight_report *report, FILE *out,
                                          size_t limit, bool brief);
extern const struct pinsight_table pinsight_attribution_function_table;
/* The members of an object: the work of each domain. */
void pinsight_attribution_write_work(struct pinsight_json *json,
                                     const struct pinsight_printing *printing,
                                     const struct pinsight_attribution_work *work);
void pinsight_section_attribution_brief(const struct pinsight_report *report, FILE *out,
                                        size_t limit);

#endif
