/*
 * The content of a trace, without the trace: processes, threads, functions, C callables, call
 * stacks and their times. Views know the model, and nothing of CTF.
 *
 * pinsight_ingest (or a test) feeds the model in order of time. The memory depends on the number of
 * functions, call sites and threads, and on the depth of the stacks. The memory does not depend on
 * the number of events. All times are in ns of the trace's clock. Not thread-safe.
 */
#ifndef PINSIGHT_READER_MODEL_H
#define PINSIGHT_READER_MODEL_H

#include "base/code_folders.h"
#include "base/map.h"
#include "base/stack_pool.h"
#include "base/strings.h"
#include "reader/core/children.h"
#include "reader/core/history.h"
#include "reader/core/marked_sums.h"
#include "reader/core/starts.h"
#include "reader/core/values.h"
#include "reader/functions.h"
#include "reader/hosts/corrections.h"
#include "reader/process.h"
#include "reader/python/awaits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A recently used thread, by its identity in events. */
struct pinsight_recent_thread {
    int64_t vpid, number;
    struct pinsight_thread *thread; /* NULL if the entry is unused */
    uint32_t host, instance;
};

#define PINSIGHT_RECENT_THREADS 64u

enum pinsight_group_by { PINSIGHT_BY_NOTHING, PINSIGHT_BY_MODULE, PINSIGHT_BY_FILE };

/* The selected parts of a trace. All zero, with -1 for thread and process, selects everything. */
struct pinsight_model_options {
    int64_t thread;  /* Python thread number, or an OS thread id; -1 for all */
    int64_t process; /* process id; -1 for all */
    /* Selects only the processes in this map, by pinsight_model_key; NULL for all. */
    const struct pinsight_map *only;
    const char *region; /* the times of the regions with this name alone; NULL: all */
    bool tree;          /* build the call tree */
    bool histograms;    /* keep the distribution of the times of single calls */
    bool names_only;    /* keep no stacks and no times */
    uint64_t held_ns;   /* shortest kept blocking of an event loop; 0: 5 ms */
    enum pinsight_group_by group_by;
};

struct pinsight_model {
    struct pinsight_model_options options;
    struct pinsight_strings strings;
    struct pinsight_code_folders code_folders; /* of all processes */
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
    uint64_t further_allocations; /* requests of lines beyond the limit of a process */
    struct pinsight_counted
        *counted; /* parents precede their children; see tracer/core/counted.h */
    size_t counted_count, counted_capacity;
    /* By enum pinsight_kind: the time of counted executions within traced ones. The slices of the
     * traced ones contain it, and their sums do not. */
    uint64_t counted_within_ns[2];
    struct pinsight_path *paths; /* see paths.h */
    size_t path_count, path_capacity;
    struct pinsight_native_place *natives; /* see native.h */
    size_t native_count, native_capacity;
    struct pinsight_map native_map; /* from object and offset to a native */
    void *state[READER_DOMAINS];    /* state of each domain; NULL if there is none */
    struct pinsight_awaits awaits;  /* threads that wait for the work of others */
    struct pinsight_starts starts;
    struct pinsight_children children;
    struct pinsight_counters counters;
    struct pinsight_marked_sums marked; /* regions and marks of the program */
    struct pinsight_history history;
    struct pinsight_wait_sums *waits;   /* NULL if no clock was read */
    struct pinsight_timeline *timeline; /* the view that receives slices; NULL if there is none */
    struct pinsight_bounds *bounds;     /* receives what relates hosts' clocks; NULL: not wanted */
    struct pinsight_stack_pool rooms;   /* for open slices of threads; see stack.h */
    struct pinsight_process **processes;
    size_t process_count, process_capacity;
    size_t adopted_count; /* processes whose only thread was moved to another; see adopt.h */
    struct pinsight_map function_map, callee_map, site_map, group_map, node_map, import_map,
        garbage_map, allocated_map, counted_map;
    struct pinsight_map process_map; /* see pinsight_model_key */
    struct pinsight_map pid_map;     /* from host and pid to the last such process; see same_pid */
    struct pinsight_map tid_map;     /* host, tid and instance, to an index into tid_threads */
    struct pinsight_thread **tid_threads;
    size_t tid_count, tid_capacity;
    struct pinsight_process *last_process;
    struct pinsight_process *sole_process; /* the only process with a process_info, or NULL */
    size_t announced_count;
    struct pinsight_recent_thread recent[PINSIGHT_RECENT_THREADS]; /* see lookup.c */
    uint64_t changes; /* counts changes of the threads that events belong to */
    uint32_t last_tid, last_tid_host, last_tid_instance;
    struct pinsight_thread *last_tid_thread;
    uint64_t first_ns, last_ns;                   /* of events of the selected processes */
    struct pinsight_host_corrections corrections; /* of all times; see host_clocks.h */
    /* End of the recording, from the source; 0 if unknown. */
    uint64_t until_ns;
    bool has_time;
    uint64_t unmatched_begins; /* frames that the end of another frame closed */
    uint64_t unmatched_ends;   /* ends whose begin is not on the stack */
    uint64_t ends_of_nothing;  /* of these, ends in a thread without an open call */
    uint64_t open_at_end;      /* frames closed by pinsight_model_finish */
    uint64_t late_events;      /* events with times before their predecessor's */
    uint64_t folded_nodes;     /* calls that a full tree counts in their caller */
    uint64_t marks, regions;
    uint64_t device_work; /* slices of streams, even if no view asks for them */
};

/* Makes a model with a copy of the options. The caller frees it with pinsight_model_free(). */
struct pinsight_model *pinsight_model_new(const struct pinsight_model_options *options);
void pinsight_model_free(struct pinsight_model *model);

/* Distinguishes processes with the same host and pid. All zero if nothing is known. */
struct pinsight_process_mark {
    uint32_t instance;  /* from the events; see ctf/event.h */
    uint64_t namespace; /* the PID namespace of its pid */
    uint64_t program;   /* number of the executed program in its process_info */
};

/* The key of a process in a map: three arguments for pinsight_map_get() and pinsight_map_set(). */
#define pinsight_model_key(host, pid, instance)                                                    \
    (host), (uint32_t)(pid), ((instance) ? (instance) : (uint32_t)((uint64_t)(pid) >> 32))

/* Returns the process with a pid and an instance on a host (numbers from the source). Makes it at
 * the first call. */
struct pinsight_process *pinsight_model_process_of(struct pinsight_model *model, uint32_t host,
                                                   int64_t pid, uint32_t instance);
/* Like pinsight_model_process_of(), for traces in which pids are unique. */
static inline struct pinsight_process *pinsight_model_process(struct pinsight_model *model,
                                                              uint32_t host, int64_t pid) {
    return pinsight_model_process_of(model, host, pid, 0);
}

/* Takes a process_info event. Makes a new process if the pid is known with another program: after
 * an exec, or if the pid was used again. Also makes one if the mark differs. Frames of the old
 * process then end. `mark` may be NULL. */
struct pinsight_process *pinsight_model_process_info(struct pinsight_model *model, uint32_t host,
                                                     int64_t pid, uint64_t ns, int64_t ppid,
                                                     int32_t rank, const char *hostname,
                                                     const char *program, const char *command,
                                                     const char *version,
                                                     const struct pinsight_process_mark *mark);

/* Returns the process that started another one, or NULL if it is not in the trace. */
struct pinsight_process *pinsight_model_parent(const struct pinsight_process *process);

/* Returns the thread with a Python thread number in a process. A thread without Python (-1) is
 * found by its tid. */
struct pinsight_thread *pinsight_model_thread(struct pinsight_process *process, int64_t number,
                                              uint32_t tid);

/* Returns the thread with an OS thread id on a host. Adds an unknown one to `process`. If `process`
 * is NULL, the thread is an orphan, in a process of its own with pid 0, until its thread_info
 * comes. */
struct pinsight_thread *pinsight_model_thread_by_tid(struct pinsight_model *model, uint32_t host,
                                                     uint32_t tid,
                                                     struct pinsight_process *process);
/* Like pinsight_model_thread_by_tid(), for a process of which only the instance is known. */
struct pinsight_thread *pinsight_model_thread_of_instance(struct pinsight_model *model,
                                                          uint32_t host, uint32_t instance,
                                                          uint32_t tid);

/* Returns the thread of a process with an OS thread id, or NULL if no event was of it. */
struct pinsight_thread *pinsight_model_thread_there(const struct pinsight_process *process,
                                                    uint32_t tid);

/* Forgets recently used threads and processes, because the identities in events may have
 * changed. */
void pinsight_model_forget_recent(struct pinsight_model *model);

/* Removes a thread from its OS thread id. */
void pinsight_model_unbind(struct pinsight_model *model, const struct pinsight_thread *thread);

/* Frees a thread with its track and the state of each domain. */
void pinsight_thread_free(struct pinsight_thread *thread);

/* Returns whether the filters select a thread of a process with this number and tid. */
bool pinsight_model_selects(const struct pinsight_process *process, int64_t number, uint32_t tid);

/* Takes a thread_info event. `name` may be empty; an earlier name then stays. */
struct pinsight_thread *pinsight_model_thread_info(struct pinsight_model *model,
                                                   struct pinsight_process *process, uint32_t tid,
                                                   int64_t number, const char *name, uint64_t ns);

/* Returns a domain of a process by its name. Makes it at the first call. */
struct pinsight_process_domain *pinsight_model_domain(struct pinsight_process *process,
                                                      const char *name);

/* Counts an event of a process, and updates the first and last times. */
static inline void pinsight_model_touch(struct pinsight_process *process, uint64_t ns) {
    if (!process->events++)
        process->first_ns = ns;
    if (ns > process->last_ns)
        process->last_ns = ns;
}

/* Begins a function or C call in a thread. `id` is the number of a function or call site. `how` is
 * a PINSIGHT_HOW_* value. */
void pinsight_model_begin(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                          unsigned how, uint64_t ns);
/* Like pinsight_model_begin(), for a function that is called from a line; 0 if the line is
 * unknown. */
void pinsight_model_called(struct pinsight_thread *thread, uint32_t function, unsigned how,
                           int32_t line, uint64_t ns);

/* Ends a function or C call. If another frame is on top, closes the frames above the begin as lost.
 * Drops an end without a begin. Counts both. */
void pinsight_model_end(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                        unsigned how, uint64_t ns);

/* Returns the function on top of a thread's stack, or PINSIGHT_NONE. */
uint32_t pinsight_model_top_function(const struct pinsight_thread *thread);
/* Returns the frame of this function, or NULL. */
const struct pinsight_slice *pinsight_model_top_frame(const struct pinsight_thread *thread);

/* Ends the open calls and regions of a thread, in each domain, Python last. Returns how many there
 * were. */
uint64_t pinsight_model_close(struct pinsight_thread *thread, uint64_t ns);

/* Takes a pause: open slices of the process did not run between these times. None of its threads
 * can have recorded events then, except briefly at both ends. */
void pinsight_model_pause(struct pinsight_process *process, uint64_t from_ns, uint64_t to_ns);

/* Ends the trace. Closes every open frame, at the last event of its process. */
void pinsight_model_finish(struct pinsight_model *model);

/* Return the name of a function or a C callable, or "(name not recorded)" if the trace lacks it. */
const char *pinsight_function_name(const struct pinsight_model *model, uint32_t function);
const char *pinsight_callee_name(const struct pinsight_model *model, uint32_t callee);

#endif
