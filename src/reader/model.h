/* What a trace says, without the trace: processes, threads, functions, C callables, call stacks and
 * the times that follow from them. Views know this and nothing of CTF.
 *
 * The model is fed in order of time by pinsight_ingest (or by a test) and grows with the distinct
 * functions, call sites, threads and the depth of the stacks, not with the number of events. All
 * times are nanoseconds of the trace clock. Not thread-safe. Numbers (`uint32_t`) of functions,
 * call sites and callees are indexes into the arrays of struct pinsight_model; PINSIGHT_NONE is
 * none. */
#ifndef PINSIGHT_READER_MODEL_H
#define PINSIGHT_READER_MODEL_H

#include "base/map.h"
#include "base/strings.h"
#include "reader/core/history.h"
#include "reader/domain.h"
#include "reader/extremes.h"
#include "reader/kit/histogram.h"
#include "reader/kit/numbers.h"
#include "reader/python/awaits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PINSIGHT_NONE UINT32_MAX

enum pinsight_kind {
    PINSIGHT_FUNCTION, /* a Python function */
    PINSIGHT_C_CALL,   /* a call from Python into C; the number is that of its call site */
    PINSIGHT_REGION,   /* of windows and of what MONITORING counts: a region of native code */
};

/* How a frame began and ended; the values are those of the events. */
enum { PINSIGHT_HOW_START = 0, PINSIGHT_HOW_RESUME = 1, PINSIGHT_HOW_THROW = 2 };
enum { PINSIGHT_HOW_LOST = 3 };

/* What was seen of one thing that runs. A slice is one stay on the stack: a whole call, or a
 * generator's time between two yields. */
struct pinsight_stats {
    uint64_t calls;     /* begins that are calls, not resumptions */
    uint64_t slices;    /* stays on the stack that ended */
    uint64_t total_ns;  /* with what it called; of a recursion the outermost counts */
    uint64_t self_ns;   /* without what it called */
    uint64_t openmp_ns; /* of self_ns, what OpenMP regions took that no other region started */
    uint64_t away_ns;   /* of self_ns, where clocks of threads are known: without a processor */
    uint64_t sum_ns;    /* of all slices, nested ones too */
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
    to->sum_ns += more->sum_ns;
}

/* What MONITORING counted in the program itself. */
struct pinsight_monitored {
    uint64_t calls, total_ns, self_ns;
};

static inline void pinsight_monitored_add(struct pinsight_monitored *to,
                                          const struct pinsight_monitored *more) {
    to->calls += more->calls;
    to->total_ns += more->total_ns;
    to->self_ns += more->self_ns;
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
    uint64_t collected, uncollectable; /* objects */
};

/* What one line asked for of Python's memory. */
struct pinsight_allocated {
    uint32_t path; /* of the line alone, see paths.h; PINSIGHT_NONE: no Python */
    uint64_t count, bytes;
    uint64_t blocks, live_bytes, peak_bytes; /* that were not given back, where that is known */
    bool has_live;
};

/* The call that was longest of those that ended within a time. */
struct pinsight_longest {
    uint64_t self_ns;
    enum pinsight_kind kind;
    uint32_t id, node;
};

/* A call that took long itself, and the user's function that it was in. */
struct pinsight_held_call {
    uint64_t self_ns;
    enum pinsight_kind kind;
    uint32_t id, users; /* a function, or PINSIGHT_NONE */
};

/* So much of a reading was said to be a wait for something, see waits.h. */
struct pinsight_waited {
    unsigned cause;
    uint64_t ns;
};

/* How a thread had processors, see clock.h. */
struct pinsight_thread_clock {
    uint32_t tid;                    /* of which it was read */
    uint64_t ns, processor_ns;       /* the last reading, and when; ns 0: there was none */
    struct pinsight_longest longest; /* since then */
    /* Sums of all readings: the time between them, and how much of it the thread waited, and
     * wanted a processor and had none. The rest of the time it ran. */
    uint64_t known_ns, waiting_ns, ready_ns;
    struct pinsight_waited waited, longest_waited; /* by the last reading */
    uint64_t gil_ns;                               /* waits for the GIL since then */
};

struct pinsight_thread {
    struct pinsight_process *process;
    int64_t number;      /* Python thread number, -1 for a thread without Python */
    uint32_t tid;        /* OS thread id last seen under that number, 0 where unknown */
    uint32_t os_threads; /* how many OS threads had the number, one after the other */
    uint32_t name;
    bool selected;           /* by the filters */
    size_t depth, max_depth; /* of functions and C calls that are open */
    bool opens;              /* calls that are said to be open are news */
    uint32_t *active[4];     /* frames on the stack by function, site, callee, group */
    size_t active_count[4];
    uint64_t first_ns, last_ns;
    uint64_t calls[2], self_ns[2]; /* by enum pinsight_kind */
    uint64_t busy_ns;              /* something was on the stack */
    struct pinsight_monitored counted[2];
    void *state[READER_DOMAINS];  /* what each domain keeps of it; NULL without */
    struct pinsight_track *track; /* what is open, see stack.h; NULL before the first */
    struct pinsight_thread_clock clock;
    uint64_t last_path_ns; /* when it was known last at which Python call path it is, */
    uint32_t last_path;    /* and that; or PINSIGHT_NONE */
    /* Of an event loop, see python/tasks.h: since when its callback runs, and the longest call. */
    uint64_t held_since_ns;
    struct pinsight_held_call held_call;
};

/* Whether any domain keeps something of a thread. */
static inline bool pinsight_thread_has_state(const struct pinsight_thread *thread) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (thread->state[i])
            return true;
    return false;
}

/* A domain in a process. */
struct pinsight_process_domain {
    uint32_t name, runtime, mechanism, events;
    uint32_t selection; /* what the configuration recorded last, "" for all */
    uint32_t mode;      /* the last one known */
    bool has_info;
    bool selection_changed; /* while the program ran */
    bool mode_changed;      /* while the program ran */
    /* The last domain_totals. */
    uint64_t lost_frames, dropped_ends, outside, bytes, size_limit;
    bool has_totals, size_limit_reached;
};

/* A code object as events name it, and its function. */
struct pinsight_recent_code {
    uint64_t id; /* 0 for none */
    uint32_t function;
};

#define PINSIGHT_RECENT_CODES 256u

struct pinsight_process {
    struct pinsight_model *model;
    uint32_t index; /* among the model's processes */
    uint32_t host;
    int64_t pid, ppid;
    int32_t rank;
    uint32_t hostname, program, command, version;
    bool has_info;
    bool orphan; /* stands for the process, not known yet, of one thread; see adopt.h */
    bool selected;
    uint64_t announced_ns; /* its first process_info; 0 without one */
    uint64_t events;       /* of functions, C calls, regions and profiles */
    uint64_t first_ns, last_ns;
    uint64_t kept_ns; /* what it did before is not there, only what it was called; or 0 */
    struct pinsight_map code_ids;                              /* to functions */
    struct pinsight_numbers codes, callees;                    /* to functions, callees */
    struct pinsight_recent_code recent[PINSIGHT_RECENT_CODES]; /* some of code_ids, see lookup.c */
    struct pinsight_map paths;                                 /* to paths, see paths.h */
    struct pinsight_map addresses, native_numbers;             /* to natives, see native.h */
    struct pinsight_map threads;                               /* by number, to the index below */
    struct pinsight_thread **thread_list;
    size_t thread_count, thread_capacity;
    struct pinsight_thread *last_thread;
    struct pinsight_process_domain *domains;
    size_t domain_count, domain_capacity;
    uint64_t lost_frames;        /* ends marked as lost in the trace */
    void *state[READER_DOMAINS]; /* what each domain keeps of it; NULL without */
};

/* Whether there was anything of a process in what was read: not so where its name alone is known,
 * from an earlier chunk. */
static inline bool pinsight_process_is_there(const struct pinsight_process *process) {
    return process->events || (process->has_info && process->announced_ns);
}

/* Since when a process is seen, of which something began at that time. */
static inline uint64_t pinsight_process_since(const struct pinsight_process *process, uint64_t ns) {
    if (process->announced_ns && process->announced_ns < ns)
        ns = process->announced_ns;
    return process->kept_ns > ns ? process->kept_ns : ns;
}

/* A thread as events name it. */
struct pinsight_recent_thread {
    int64_t vpid, number;
    struct pinsight_thread *thread; /* NULL for none */
    uint32_t host;
};

#define PINSIGHT_RECENT_THREADS 64u

enum pinsight_group_by { PINSIGHT_BY_NOTHING, PINSIGHT_BY_MODULE, PINSIGHT_BY_FILE };

/* What of a trace is looked at. All zero but thread and process -1 is everything. */
struct pinsight_model_options {
    int64_t thread;   /* Python thread number, or an OS thread id; -1 for all */
    int64_t process;  /* process id; -1 for all */
    bool tree;        /* build the call tree */
    bool histograms;  /* keep how the times of single calls are spread */
    bool names_only;  /* keep no stacks and no times */
    uint64_t held_ns; /* what held an event loop for so long is kept; 0: 50 ms */
    enum pinsight_group_by group_by;
};

struct pinsight_model {
    struct pinsight_model_options options;
    struct pinsight_strings strings;
    struct pinsight_function *functions;
    size_t function_count, function_capacity;
    struct pinsight_callee *callees;
    size_t callee_count, callee_capacity;
    struct pinsight_site *sites;
    size_t site_count, site_capacity;
    struct pinsight_group *groups;
    size_t group_count, group_capacity;
    struct pinsight_node *nodes;
    size_t node_count, node_capacity;
    struct pinsight_import *imports; /* parents before their children */
    size_t import_count, import_capacity;
    struct pinsight_garbage *garbage;
    size_t garbage_count, garbage_capacity;
    struct pinsight_allocated *allocated;
    size_t allocated_count, allocated_capacity;
    struct pinsight_path *paths; /* see paths.h */
    size_t path_count, path_capacity;
    struct pinsight_native_place *natives; /* see native.h */
    size_t native_count, native_capacity;
    struct pinsight_map native_map; /* by object and offset */
    void *state[READER_DOMAINS];    /* what each domain keeps; NULL without */
    struct pinsight_awaits awaits;  /* who waits for others' work */
    struct pinsight_history history;
    struct pinsight_wait_sums *waits;   /* NULL where no clock was read */
    struct pinsight_timeline *timeline; /* who is told slice by slice; NULL is nobody */
    struct pinsight_process **processes;
    size_t process_count, process_capacity;
    size_t adopted_count; /* of them, those whose only thread went to another; see adopt.h */
    struct pinsight_map function_map, callee_map, site_map, group_map, node_map, import_map,
        garbage_map, allocated_map;
    struct pinsight_map process_map; /* host and pid */
    struct pinsight_map tid_map;     /* host and tid, to an index into tid_threads */
    struct pinsight_thread **tid_threads;
    size_t tid_count, tid_capacity;
    struct pinsight_process *last_process;
    struct pinsight_process *sole_process; /* the only one that announced itself; or NULL */
    size_t announced_count;
    struct pinsight_recent_thread recent[PINSIGHT_RECENT_THREADS]; /* see lookup.c */
    uint64_t changes; /* how often it changed which thread events are of */
    uint32_t last_tid, last_tid_host;
    struct pinsight_thread *last_tid_thread;
    uint64_t first_ns, last_ns; /* of the selected processes' events */
    uint64_t until_ns; /* until when there was recording, as the source tells; 0 where not known */
    bool has_time;
    uint64_t unmatched_begins; /* frames that the model closed because another's end came */
    uint64_t unmatched_ends;   /* ends whose begin is not on the stack */
    uint64_t ends_of_nothing;  /* of these, those that found no call open at all */
    uint64_t open_at_end;      /* frames closed by pinsight_model_finish */
    uint64_t late_events;      /* that came before their predecessor's time */
    uint64_t folded_nodes;     /* calls that the full tree counted with their caller */
    uint64_t marks, regions;
    uint64_t device_work; /* slices of streams, whether a view asked for them or not */
};

struct pinsight_model *pinsight_model_new(const struct pinsight_model_options *options);
void pinsight_model_free(struct pinsight_model *model);

/* The process with a pid on a host (numbers given by the source), made at its first mention. */
struct pinsight_process *pinsight_model_process(struct pinsight_model *model, uint32_t host,
                                                int64_t pid);

/* A process_info event. A different program under a known pid (after an exec, or a pid that was
 * used again) is a new process; frames of the old one are closed. */
struct pinsight_process *pinsight_model_process_info(struct pinsight_model *model, uint32_t host,
                                                     int64_t pid, uint64_t ns, int64_t ppid,
                                                     int32_t rank, const char *hostname,
                                                     const char *program, const char *command,
                                                     const char *version);

/* The thread with a Python thread number in a process; one without Python (-1) is known by tid. */
struct pinsight_thread *pinsight_model_thread(struct pinsight_process *process, int64_t number,
                                              uint32_t tid);

/* The thread with an OS thread id on a host; an unknown one is put into process. Where that is NULL
 * it is an orphan, in a process with pid 0 of its own, until its thread_info comes. */
struct pinsight_thread *pinsight_model_thread_by_tid(struct pinsight_model *model, uint32_t host,
                                                     uint32_t tid,
                                                     struct pinsight_process *process);

/* What events name may be another thread or process from now on. */
void pinsight_model_forget_recent(struct pinsight_model *model);

/* A thread is no more what its OS thread id stands for. */
void pinsight_model_unbind(struct pinsight_model *model, const struct pinsight_thread *thread);

void pinsight_thread_free(struct pinsight_thread *thread);

/* Whether the filters let a thread of a process through that has this number and tid. */
bool pinsight_model_selects(const struct pinsight_process *process, int64_t number, uint32_t tid);

/* A thread_info event. name may be empty: a name known before then stays. */
struct pinsight_thread *pinsight_model_thread_info(struct pinsight_model *model,
                                                   struct pinsight_process *process, uint32_t tid,
                                                   int64_t number, const char *name, uint64_t ns);

/* The domain of a process by name, made at its first mention. */
struct pinsight_process_domain *pinsight_model_domain(struct pinsight_process *process,
                                                      const char *name);

/* Something happened in a process: keeps the first and last times and counts the event. */
static inline void pinsight_model_touch(struct pinsight_process *process, uint64_t ns) {
    if (!process->events++)
        process->first_ns = ns;
    if (ns > process->last_ns)
        process->last_ns = ns;
}

/* A function or C call begins in a thread, with a value of PINSIGHT_HOW_*. id is the number of a
 * function, or of a call site. */
void pinsight_model_begin(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                          unsigned how, uint64_t ns);

/* It ends. An end that does not match what is on top closes what is above its begin, as lost; one
 * without a begin is dropped. Both are counted. */
void pinsight_model_end(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                        unsigned how, uint64_t ns);

/* The function on top of a thread's stack, or PINSIGHT_NONE. */
uint32_t pinsight_model_top_function(const struct pinsight_thread *thread);
/* Its frame, or NULL. */
const struct pinsight_slice *pinsight_model_top_frame(const struct pinsight_thread *thread);

/* Ends what is open in a thread: what each domain has open, Python last. Returns how many calls and
 * regions that were. */
uint64_t pinsight_model_close(struct pinsight_thread *thread, uint64_t ns);

/* The program was held between these times: what is open in a process did not run meanwhile. None
 * of its threads can have recorded anything then, but for moments at both ends. */
void pinsight_model_pause(struct pinsight_process *process, uint64_t from_ns, uint64_t to_ns);

/* The end of the trace: closes every frame that is open, at its process's last event. */
void pinsight_model_finish(struct pinsight_model *model);

/* The name of a function or a C callable, where it is not in the trace "(name not recorded)". */
const char *pinsight_function_name(const struct pinsight_model *model, uint32_t function);
const char *pinsight_callee_name(const struct pinsight_model *model, uint32_t callee);

#endif
