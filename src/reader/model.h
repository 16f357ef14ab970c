/* What a trace says, without the trace: processes, threads, functions, C callables, call stacks and
 * the times that follow from them. Views know this and nothing of CTF.
 *
 * The model is fed in order of time by pinsight_ingest (or by a test) and grows with the distinct
 * functions, call sites, threads and the depth of the stacks, not with the number of events. All
 * times are nanoseconds of the trace clock. Not thread-safe. */
#ifndef PINSIGHT_READER_MODEL_H
#define PINSIGHT_READER_MODEL_H

#include "base/code_folders.h"
#include "base/map.h"
#include "base/room.h"
#include "base/strings.h"
#include "reader/core/history.h"
#include "reader/functions.h"
#include "reader/process.h"
#include "reader/python/awaits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread as events name it. */
struct pinsight_recent_thread {
    int64_t vpid, number;
    struct pinsight_thread *thread; /* NULL for none */
    uint32_t host, instance;
};

#define PINSIGHT_RECENT_THREADS 64u

enum pinsight_group_by { PINSIGHT_BY_NOTHING, PINSIGHT_BY_MODULE, PINSIGHT_BY_FILE };

/* What of a trace is looked at. All zero but thread and process -1 is everything. */
struct pinsight_model_options {
    int64_t thread;  /* Python thread number, or an OS thread id; -1 for all */
    int64_t process; /* process id; -1 for all */
    const struct pinsight_map
        *only;        /* processes alone that it has, see pinsight_model_key; NULL: all */
    bool tree;        /* build the call tree */
    bool histograms;  /* keep how the times of single calls are spread */
    bool names_only;  /* keep no stacks and no times */
    uint64_t held_ns; /* what held an event loop for so long is kept; 0: 5 ms */
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
    struct pinsight_counted *counted; /* parents before their children, see core/counted.h */
    size_t counted_count, counted_capacity;
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
    struct pinsight_rooms rooms;        /* of what is open in threads, see stack.h */
    struct pinsight_process **processes;
    size_t process_count, process_capacity;
    size_t adopted_count; /* of them, those whose only thread went to another; see adopt.h */
    struct pinsight_map function_map, callee_map, site_map, group_map, node_map, import_map,
        garbage_map, allocated_map, counted_map;
    struct pinsight_map process_map; /* see pinsight_model_key */
    struct pinsight_map pid_map;     /* host and pid, to the last of them; see same_pid */
    struct pinsight_map tid_map;     /* host, tid and instance, to an index into tid_threads */
    struct pinsight_thread **tid_threads;
    size_t tid_count, tid_capacity;
    struct pinsight_process *last_process;
    struct pinsight_process *sole_process; /* the only one that announced itself; or NULL */
    size_t announced_count;
    struct pinsight_recent_thread recent[PINSIGHT_RECENT_THREADS]; /* see lookup.c */
    uint64_t changes; /* how often it changed which thread events are of */
    uint32_t last_tid, last_tid_host, last_tid_instance;
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

/* What tells processes apart besides their host and pid. All zero: nothing is known. */
struct pinsight_process_mark {
    uint32_t instance;  /* as events have it, see ctf/event.h */
    uint64_t namespace; /* in which it has its pid */
    uint64_t program;   /* that it executes, as its process_info numbers it */
};

/* What a map knows a process by: three numbers for pinsight_map_get and pinsight_map_set. */
#define pinsight_model_key(host, pid, instance)                                                    \
    (host), (uint32_t)(pid), ((instance) ? (instance) : (uint32_t)((uint64_t)(pid) >> 32))

/* The process with a pid on a host (numbers given by the source), and one of those that have it,
 * made at its first mention. */
struct pinsight_process *pinsight_model_process_of(struct pinsight_model *model, uint32_t host,
                                                   int64_t pid, uint32_t instance);
/* The same where pids tell processes apart. */
static inline struct pinsight_process *pinsight_model_process(struct pinsight_model *model,
                                                              uint32_t host, int64_t pid) {
    return pinsight_model_process_of(model, host, pid, 0);
}

/* A process_info event. A different program under a known pid (after an exec, or a pid that was
 * used again) is a new process; so is the same program anew where the mark says so. Frames of the
 * old one end with it. `mark` may be NULL. */
struct pinsight_process *pinsight_model_process_info(struct pinsight_model *model, uint32_t host,
                                                     int64_t pid, uint64_t ns, int64_t ppid,
                                                     int32_t rank, const char *hostname,
                                                     const char *program, const char *command,
                                                     const char *version,
                                                     const struct pinsight_process_mark *mark);

/* The process that started another one, where it is in the trace; else NULL. */
struct pinsight_process *pinsight_model_parent(const struct pinsight_process *process);

/* The thread with a Python thread number in a process; one without Python (-1) is known by tid. */
struct pinsight_thread *pinsight_model_thread(struct pinsight_process *process, int64_t number,
                                              uint32_t tid);

/* The thread with an OS thread id on a host; an unknown one is put into process. Where that is NULL
 * it is an orphan, in a process with pid 0 of its own, until its thread_info comes. */
struct pinsight_thread *pinsight_model_thread_by_tid(struct pinsight_model *model, uint32_t host,
                                                     uint32_t tid,
                                                     struct pinsight_process *process);
/* The same of a process of which the instance is known, and nothing else. */
struct pinsight_thread *pinsight_model_thread_of_instance(struct pinsight_model *model,
                                                          uint32_t host, uint32_t instance,
                                                          uint32_t tid);

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
/* The same of a function that is called from a line, or from 0 where that is not known. */
void pinsight_model_called(struct pinsight_thread *thread, uint32_t function, unsigned how,
                           int32_t line, uint64_t ns);

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
