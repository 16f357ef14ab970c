/*
 * The work of OpenMP: parallel regions, the threads of their teams, and the distribution of each
 * thread's time. Part of the model; not thread-safe. All times are in ns.
 *
 * For an open region the model holds the state of each thread in it, and no events. At its end, its
 * times are added to the sums of its place in native code and Python call path.
 *
 * The measured times (the events are OMPT's, OpenMP 5.1 section 19.5):
 *   total      parallel_begin to parallel_end in the primary thread, which starts the region
 *   work       of a thread: implicit_task_begin to its arrival at the barrier that ends the
 *              region, without its waiting, with explicit tasks that it ran instead of waiting
 *   waiting    in barriers, taskwait, at the end of a taskgroup, for locks and other mutexes
 *   imbalance  waiting in the barrier that ends the region, until parallel_end. Runtimes may
 *              keep the other threads in the barrier until the next region begins
 *   fork       parallel_begin to the begin of the primary's work
 *   join       the primary's leaving of that barrier to parallel_end
 * A region in another one also belongs to the work of the thread that starts it.
 */
#ifndef PINSIGHT_READER_OPENMP_OPENMP_H
#define PINSIGHT_READER_OPENMP_OPENMP_H

#include "reader/model.h"

enum pinsight_omp_wait {
    PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER, /* including the barrier that ends a region */
    PINSIGHT_OMP_WAIT_EXPLICIT_BARRIER,
    PINSIGHT_OMP_WAIT_TASKWAIT,
    PINSIGHT_OMP_WAIT_TASKGROUP,
    PINSIGHT_OMP_WAIT_LOCK,
    PINSIGHT_OMP_WAIT_CRITICAL,
    PINSIGHT_OMP_WAIT_ATOMIC,
    PINSIGHT_OMP_WAIT_ORDERED,
    PINSIGHT_OMP_WAIT_COUNT,
    PINSIGHT_OMP_WAIT_NONE = PINSIGHT_OMP_WAIT_COUNT,
};

enum pinsight_omp_kind {
    PINSIGHT_OMP_PARALLEL,
    PINSIGHT_OMP_TEAMS,  /* a league of teams */
    PINSIGHT_OMP_TARGET, /* a target construct, on the host */
};

/* The values of the enum sync_kind that the model distinguishes. */
enum { PINSIGHT_SYNC_IMPLICIT_PARALLEL = 9 };

/* The time of a region in the thread that started it outside any other region. The sum of work,
 * imbalance, waiting and runtime is total. Python that the region called is excluded, and has rows
 * of its own. */
struct pinsight_omp_caller {
    uint64_t calls, total_ns, work_ns, imbalance_ns, waiting_ns, runtime_ns;
};

/* All executions of a region that one Python call path started. */
struct pinsight_omp_region {
    uint32_t native; /* its place, see native.h */
    uint32_t path;   /* PINSIGHT_NONE if unknown; an inner region has that of the outermost one */
    uint8_t kind;    /* enum pinsight_omp_kind */
    uint64_t calls, total_ns;
    uint64_t min_ns, max_ns; /* of one call; undefined while calls is 0 */
    uint64_t nested;         /* of calls, those that began in another region */
    uint64_t tasks;          /* explicit tasks that were made in it */
    /* For the calls whose threads are known from events: */
    uint64_t measured;
    uint64_t joined;  /* of measured, calls whose last barrier was seen */
    uint64_t work_ns; /* of all threads together */
    uint64_t wait_ns[PINSIGHT_OMP_WAIT_COUNT];
    uint64_t imbalance_ns;        /* of all threads; part of wait_ns of implicit barriers */
    uint64_t longest_ns, mean_ns; /* sums over calls: longest and mean work */
    uint64_t fork_ns, join_ns;
    uint32_t threads;         /* the largest team */
    uint64_t *thread_work_ns; /* by the thread's number in the team */
    uint32_t thread_work_count;
    /* The last count of MONITORING for it: index plus one; 0 if there is none. */
    uint32_t last_count;
    struct pinsight_omp_caller caller;
};

/* A count of MONITORING for a region in one thread. The thread that starts the region counts it
 * from begin to end, and others count their parts. */
struct pinsight_omp_count {
    uint32_t process; /* index of the process */
    uint32_t before; /* the previous count of the same region: index plus one; 0 if there is none */
    struct pinsight_monitored counted;
};

/* The deepest nesting of regions, and of tasks in them, in one thread. Deeper ones are counted in
 * the region around them. */
#define PINSIGHT_OMP_DEEPEST 256
/* Threads with higher numbers have no work of their own in the sums. */
#define PINSIGHT_OMP_MOST_THREADS 1024

struct pinsight_omp_scope;
struct pinsight_omp_level;

struct pinsight_omp_thread {
    struct pinsight_thread *thread;
    struct pinsight_process *process;
    uint32_t number;          /* OpenMP's number of the thread in the process */
    uint8_t type;             /* value of the enum thread_type, 0 if unknown */
    bool in_team;             /* had a part in a region */
    bool over;                /* the runtime reported the end of the thread */
    uint32_t lowest, highest; /* of its numbers in teams */
    uint64_t first_ns, last_ns, events;
    uint64_t parts;                             /* number of its parts in regions */
    uint64_t work_ns, waiting_ns, imbalance_ns; /* in these parts; nested parts count once */
    uint64_t regions;                           /* number of regions that it started */
    uint64_t outside_ns;                        /* in regions that it started without open Python */
    struct pinsight_omp_scope *scopes;
    size_t scope_count, scope_capacity;
    struct pinsight_omp_level *levels;
    size_t level_count, level_capacity;
};

struct pinsight_openmp {
    struct pinsight_omp_region *regions;
    size_t region_count, region_capacity;
    struct pinsight_map region_map; /* by place, path and kind */
    struct pinsight_omp_instance *instances;
    size_t instance_count, instance_capacity;
    uint32_t *buckets, bucket_count, free_instance;
    size_t open_instances;
    uint64_t last_early_ns; /* begin of the last part whose region was unknown */
    struct pinsight_omp_count *counts;
    size_t count_count, count_capacity;
    struct pinsight_map count_map; /* by region, process and OS thread */
    uint64_t tasks_made, tasks_done;
    uint64_t unmatched_begins; /* regions without an end */
    uint64_t unmatched_ends;   /* ends of regions without a begin */
    uint64_t too_deep;
};

READER_STATE(pinsight_model_openmp, struct pinsight_openmp, struct pinsight_model, OPENMP)
READER_STATE(pinsight_thread_openmp, struct pinsight_omp_thread, struct pinsight_thread, OPENMP)

/* Returns the model's state of OpenMP. Makes it at the first call. */
struct pinsight_openmp *pinsight_openmp_of(struct pinsight_model *model);
void pinsight_openmp_free(struct pinsight_model *model);

/* Returns the state of OpenMP in a thread. Makes it at the first event. `process` is that of the
 * event. */
struct pinsight_omp_thread *pinsight_omp_thread_of(struct pinsight_thread *thread,
                                                   struct pinsight_process *process);
void pinsight_omp_thread_free(struct pinsight_thread *thread);

/* Returns the sums of a region. */
struct pinsight_omp_region *pinsight_omp_region_of(struct pinsight_model *model, uint32_t native,
                                                   uint32_t path, enum pinsight_omp_kind kind);

/* Adds a count of MONITORING for a region in a thread. */
void pinsight_omp_count(struct pinsight_thread *thread, uint32_t native,
                        const struct pinsight_monitored *counted);

/* Begin and end a region in the thread that starts it. `id` is its number in the process. `task` is
 * the task that meets the region, 0 if unknown. */
void pinsight_omp_region_begin(struct pinsight_omp_thread *thread, uint64_t id, uint64_t task,
                               uint32_t native, uint32_t path, enum pinsight_omp_kind kind,
                               uint64_t ns);
void pinsight_omp_region_end(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns);

/* Begin and end a thread's part of a region: an implicit task. */
void pinsight_omp_part_begin(struct pinsight_omp_thread *thread, uint64_t id, uint64_t task,
                             uint32_t number, uint32_t team_size, uint64_t ns);
void pinsight_omp_part_end(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns);

/* Ends the barrier at the end of a region that a thread is in, and its part. Does nothing if the
 * thread is in none. */
void pinsight_omp_part_left(struct pinsight_omp_thread *thread, uint64_t ns);

/* Take the begin or end of a synchronisation of a thread, and of the waiting in it. `sync` is a
 * value of the enum sync_kind, 0 if the event has none. */
void pinsight_omp_sync(struct pinsight_omp_thread *thread, uint64_t id, enum pinsight_omp_wait wait,
                       unsigned sync, bool begin, uint64_t ns);
void pinsight_omp_sync_wait(struct pinsight_omp_thread *thread, uint64_t id,
                            enum pinsight_omp_wait wait, bool begin, uint64_t ns);

/* Take the request for a mutex, and its acquisition. */
void pinsight_omp_acquire(struct pinsight_omp_thread *thread, uint64_t id,
                          enum pinsight_omp_wait wait, uint64_t ns);
void pinsight_omp_acquired(struct pinsight_omp_thread *thread, uint64_t id,
                           enum pinsight_omp_wait wait, uint64_t ns);

/* Take the creation of an explicit task, and a thread's switch from one task to another. `status`
 * is a value of the enum task_status, for the task that it leaves. */
void pinsight_omp_task_made(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns);
void pinsight_omp_task_switch(struct pinsight_omp_thread *thread, uint64_t id, uint64_t prior,
                              uint64_t next, unsigned status, uint64_t ns);

/* Takes any other event in a part of a region. */
void pinsight_omp_other(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns);

/* Ends the open regions of a thread. Returns how many there were. */
uint64_t pinsight_openmp_close(struct pinsight_thread *thread, uint64_t ns);

/* The program was stopped: moves the begin of everything that began before `before_ns` by
 * `pause_ns`. */
void pinsight_openmp_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns);

#endif
