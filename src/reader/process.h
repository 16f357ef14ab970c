/* Processes and threads, and who of them did how much; struct pinsight_model has them. */
#ifndef PINSIGHT_READER_PROCESS_H
#define PINSIGHT_READER_PROCESS_H

#include "base/map.h"
#include "reader/domain.h"
#include "reader/functions.h"
#include "reader/kit/numbers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_process;
struct pinsight_track;

/* The call that was longest of those that ended within a time. */
struct pinsight_longest {
    uint64_t self_ns;
    enum pinsight_kind kind;
    uint32_t id, node;
};

/* A call that took long itself, and the user's function that it was in; and the innermost function
 * of the user's that took long with all that it called. */
struct pinsight_held_call {
    uint64_t self_ns, inner_ns;
    enum pinsight_kind kind;
    uint32_t id, users; /* a function, or PINSIGHT_NONE */
    uint32_t inner;     /* where inner_ns is not 0 */
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
    uint64_t known_wait_ns; /* known waits that ended since then, see pinsight_waits_known */
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
    uint64_t held_since_ns, held_longest_ns;
    uint32_t held_longest; /* coroutine of the task that ran for that */
    struct pinsight_held_call held_call;
    bool task_runs;
    bool has_loop; /* one that is not written in Python: */
    uint32_t loop; /* what Python called to run it, a callee */
};

/* Whether any domain keeps something of a thread. */
static inline bool pinsight_thread_has_state(const struct pinsight_thread *thread) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (thread->state[i])
            return true;
    return false;
}

/* What a domain keeps of a thread goes to another one. Returns whether there was something, and
 * nothing in the way. */
static inline bool pinsight_thread_move_state(struct pinsight_thread *from,
                                              struct pinsight_thread *to,
                                              enum reader_domain_number domain) {
    if (!from->state[domain] || to->state[domain])
        return false;
    to->state[domain] = from->state[domain];
    from->state[domain] = NULL;
    return true;
}

/* What a domain's callbacks took in a process, as far as the domain itself knows. */
struct pinsight_callbacks {
    uint64_t count;
    uint64_t samples;                                          /* of these, were timed */
    uint64_t own_ns;                                           /* all, extrapolated from those */
    uint64_t functions, generators, unwinds, calls, operators; /* of samples */
    uint64_t met, tasks; /* functions and callables that were new; tasks that were recorded */
};

/* A domain in a process. */
struct pinsight_process_domain {
    uint32_t name, runtime, mechanism, events;
    uint32_t selection; /* what the configuration recorded last, "" for all */
    uint32_t mode;      /* the last one known */
    bool has_info;
    bool selection_changed; /* while the program ran */
    bool mode_changed;      /* while the program ran */
    /* The last domain_totals. */
    uint64_t lost_frames, under_way, dropped_ends, outside, bytes, size_limit;
    bool has_totals, size_limit_reached;
    struct pinsight_callbacks callbacks; /* the last callback_cost */
};

/* A code object as events name it, and its function. */
struct pinsight_recent_code {
    uint64_t id; /* 0 for none */
    uint32_t function;
};

#define PINSIGHT_RECENT_CODES 256u

struct pinsight_process {
    struct pinsight_model *model;
    uint32_t index;                    /* among the model's processes */
    struct pinsight_process *same_pid; /* the one before it with its host and pid; or NULL */
    uint32_t host, instance;           /* instance: among those of its pid, see ctf/event.h; or 0 */
    int64_t pid, ppid;
    int32_t rank;
    uint64_t namespace;      /* in which it has its pid; 0 where not known */
    uint64_t program_number; /* of what it executes, likewise */
    uint32_t hostname, program, command, version;
    uint32_t
        other_clock; /* what gives it another clock than the machine's; "" where nothing does */
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

#endif
