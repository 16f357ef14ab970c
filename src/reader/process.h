/* Processes and threads, with their sums. struct pinsight_model owns them. */
#ifndef PINSIGHT_READER_PROCESS_H
#define PINSIGHT_READER_PROCESS_H

#include "base/map.h"
#include "reader/data/numbers.h"
#include "reader/domain.h"
#include "reader/functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_process;
struct pinsight_track;

/* The longest of the calls that ended in some time. */
struct pinsight_longest {
    uint64_t self_ns;
    enum pinsight_kind kind;
    uint32_t id, node;
};

/* A call with a long self time, and the user's function around it. Also the innermost function of
 * the user's with a long total time. */
struct pinsight_held_call {
    uint64_t self_ns, self_ready_ns; /* of that, without a processor */
    uint64_t inner_ns, inner_ready_ns;
    enum pinsight_kind kind;
    uint32_t id, users; /* a function, or PINSIGHT_NONE */
    uint32_t inner;     /* valid if inner_ns is not 0 */
};

/* A part of a reading that was counted as a wait; see waits.h. */
struct pinsight_waited {
    unsigned cause;
    uint64_t ns;
};

/* Readings of a thread's processor clock; see clock.h. */
struct pinsight_thread_clock {
    uint32_t tid;              /* OS thread whose clock was read */
    uint64_t ns, processor_ns; /* time and value of the last reading; ns is 0 if there was none */
    bool moved;                /* that reading is from before `ns`, see window.h */
    struct pinsight_longest longest; /* since the last reading */
    /* Sums of all readings: the time between them, the part of it in which the thread waited, and
     * the part in which it wanted a processor. In the rest of the time it ran. */
    uint64_t known_ns, waiting_ns, ready_ns;
    struct pinsight_waited waited, longest_waited; /* added by the last reading */
    uint64_t gil_ns;                               /* waits for the GIL since the last reading */
    uint64_t known_wait_ns; /* waits that ended since then; see pinsight_waits_known() */
};

/* Returns the time in which the thread of a clock wanted a processor, in ns: it ran or was ready.
 */
static inline uint64_t pinsight_thread_clock_wanted_ns(const struct pinsight_thread_clock *clock) {
    return pinsight_time_rest(clock->known_ns, clock->waiting_ns);
}

struct pinsight_thread {
    struct pinsight_process *process;
    int64_t number;      /* Python thread number, -1 for a thread without Python */
    uint32_t tid;        /* last OS thread id with that number, 0 if unknown */
    uint32_t os_threads; /* number of OS threads that had the number, one after the other */
    uint32_t name;
    uint32_t start;          /* index of its start plus one, see core/starts.h; 0: none */
    bool selected;           /* the filters select the thread */
    size_t depth, max_depth; /* of open functions and C calls */
    bool opens;              /* events about open calls are new information; see python/run.c */
    uint32_t *active[4];     /* numbers of frames on the stack, by function, site, callee, group */
    size_t active_count[4];
    uint64_t first_ns, last_ns;
    uint64_t calls[2], self_ns[2]; /* by enum pinsight_kind */
    uint64_t busy_ns;              /* time in which a frame was on the stack */
    struct pinsight_monitored counted[2];
    void *state[READER_DOMAINS];  /* state of each domain; NULL if there is none */
    struct pinsight_track *track; /* the open slices, see stack.h; NULL before the first */
    struct pinsight_thread_clock clock;
    uint64_t last_path_ns; /* time at which the thread's Python call path was known last */
    uint32_t last_path;    /* that path, or PINSIGHT_NONE */
    /* For an event loop, see python/tasks.h: begin of the present callback, and its longest
     * task. */
    uint64_t held_since_ns, held_longest_ns;
    uint64_t held_ready_ns; /* clock.ready_ns at held_since_ns */
    uint32_t held_longest;  /* coroutine of that task */
    struct pinsight_held_call held_call;
    bool task_runs;
    bool has_loop; /* a loop that is not written in Python */
    uint32_t loop; /* the callee that runs the loop */
};

/* Returns whether any domain has state of a thread. */
static inline bool pinsight_thread_has_state(const struct pinsight_thread *thread) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (thread->state[i])
            return true;
    return false;
}

/* Moves a domain's state of a thread to another thread. Returns false if there is none, or if the
 * other thread has some. */
static inline bool pinsight_thread_move_state(struct pinsight_thread *from,
                                              struct pinsight_thread *to,
                                              enum reader_domain_number domain) {
    if (!from->state[domain] || to->state[domain])
        return false;
    to->state[domain] = from->state[domain];
    from->state[domain] = NULL;
    return true;
}

/* Time in a domain's callbacks in a process, as the domain itself reports it. */
struct pinsight_callbacks {
    uint64_t count;
    uint64_t samples; /* timed callbacks, of these */
    uint64_t own_ns;  /* of all callbacks, extrapolated from the samples */
    uint64_t functions, generators, unwinds, calls, operators, exceptions; /* of samples */
    uint64_t met, tasks; /* new functions and callables; recorded tasks */
};

/* A domain in a process. */
struct pinsight_process_domain {
    uint32_t name, runtime, mechanism, events;
    uint32_t selection; /* the last one in the configuration, "" for all */
    uint32_t mode;      /* the last known one */
    bool has_info;
    bool selection_changed; /* while the program ran */
    bool mode_changed;      /* while the program ran */
    /* From the last domain_totals. */
    uint64_t lost_frames, under_way, dropped_ends, outside, bytes, size_limit;
    bool has_totals, size_limit_reached;
    bool budget_ended;                   /* its budget ended the recording */
    struct pinsight_callbacks callbacks; /* from the last callback_cost */
};

/* A code object in events, and its function. */
struct pinsight_recent_code {
    uint64_t id; /* 0 if the entry is unused */
    uint32_t function;
};

#define PINSIGHT_RECENT_CODES 256u

struct pinsight_process {
    struct pinsight_model *model;
    uint32_t index;                    /* in the model's processes */
    struct pinsight_process *same_pid; /* the earlier process with the same host and pid, or NULL */
    uint32_t host, instance; /* number among the processes with its pid, see ctf/event.h; or 0 */
    int64_t pid, ppid;
    int32_t rank;
    uint64_t namespace;      /* PID namespace of its pid; 0 if unknown */
    uint64_t program_number; /* number of the program that it executes; 0 if unknown */
    uint32_t hostname, program, command, version;
    /* Reason why its clock is not the machine's, such as a library; "" if there is none. */
    uint32_t other_clock;
    bool has_info;
    bool orphan; /* stands for the unknown process of one thread; see adopt.h */
    bool selected;
    uint64_t announced_ns; /* time of its first process_info; 0 if there is none */
    /* Its starter and its end, see core/children.h. */
    const struct pinsight_process *starter; /* NULL if not known */
    uint32_t start_path;                    /* of the start in Python, or PINSIGHT_NONE */
    bool has_status;
    int32_t status; /* exit status, or minus the signal that ended it */
    /* Strings: the name of a multiprocessing.Process, and the title; 0 without one. */
    uint32_t own_name, title;
    uint64_t events; /* functions, C calls, regions and profiles */
    uint64_t first_ns, last_ns;
    uint64_t resident_most; /* its largest recorded resident memory, in bytes */
    /* Earlier events were dropped, and only definitions kept; 0 if none were. */
    uint64_t kept_ns;
    struct pinsight_map code_ids;           /* from code ids to functions */
    struct pinsight_numbers codes, callees; /* from numbers to functions and callees */
    struct pinsight_recent_code recent[PINSIGHT_RECENT_CODES]; /* cache of code_ids; see lookup.c */
    struct pinsight_map paths;                     /* from numbers to paths; see paths.h */
    struct pinsight_map addresses, native_numbers; /* to natives; see native.h */
    struct pinsight_map threads; /* from thread numbers to indexes in thread_list */
    struct pinsight_thread **thread_list;
    size_t thread_count, thread_capacity;
    struct pinsight_thread *last_thread;
    struct pinsight_process_domain *domains;
    size_t domain_count, domain_capacity;
    uint64_t lost_frames;        /* ends that the trace marks as lost */
    void *state[READER_DOMAINS]; /* state of each domain; NULL if there is none */
};

/* Returns whether the trace has data of a process. A process may be known only by its name, from an
 * earlier chunk. */
static inline bool pinsight_process_is_there(const struct pinsight_process *process) {
    return process->events || (process->has_info && process->announced_ns);
}

/* Returns the time from which a process is observed, if `ns` is the begin of something in it. */
static inline uint64_t pinsight_process_since(const struct pinsight_process *process, uint64_t ns) {
    if (process->announced_ns && process->announced_ns < ns)
        ns = process->announced_ns;
    return process->kept_ns > ns ? process->kept_ns : ns;
}

#endif
