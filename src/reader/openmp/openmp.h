/* What OpenMP did: parallel regions, the threads of their teams, and where the time of each went.
 * Part of the model; not thread-safe. All times are nanoseconds.
 *
 * Of a region that is under way the model holds the state of each thread in it, and no event; when
 * it is over its times go into the sums of its place in native code and Python call path.
 *
 * What is measured (the events are OMPT's, OpenMP 5.1 section 19.5):
 *   total      parallel_begin to parallel_end in the thread that starts the region, the primary
 *   work       of a thread: implicit_task_begin to its arrival at the barrier that ends the region,
 *              without what it waited, with explicit tasks that it ran while it would have waited
 *   waiting    in barriers, taskwait, at the end of a taskgroup, for locks and other mutexes
 *   imbalance  waiting in the barrier that ends the region, until parallel_end: other threads are
 *              needed, and only then told to leave it, when the next region begins
 *   fork       parallel_begin to the primary's work; join: the primary's leaving of that barrier to
 *              parallel_end
 * A region within another one belongs to the work of the thread that starts it, too. */
#ifndef PINSIGHT_READER_OPENMP_OPENMP_H
#define PINSIGHT_READER_OPENMP_OPENMP_H

#include "reader/model.h"

enum pinsight_omp_wait {
    PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER, /* with the barrier that ends a region */
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
    PINSIGHT_OMP_TARGET, /* a target construct, as the host sees it */
};

/* Values of the enum sync_kind that the model tells apart. */
enum { PINSIGHT_SYNC_IMPLICIT_PARALLEL = 9 };

/* Of what a region took in the thread that started it, not being in another region. Adds up:
 * total = work + imbalance + waiting + runtime. Python that the region called is not in it: that
 * has rows of its own. */
struct pinsight_omp_caller {
    uint64_t calls, total_ns, work_ns, imbalance_ns, waiting_ns, runtime_ns;
};

/* All executions of a region that one Python call path started. */
struct pinsight_omp_region {
    uint32_t native; /* where it is, see native.h */
    uint32_t path;   /* or PINSIGHT_NONE; of an inner region, that of the outermost one */
    uint8_t kind;    /* enum pinsight_omp_kind */
    uint64_t calls, total_ns;
    uint64_t min_ns, max_ns; /* of one call; not set while calls is 0 */
    uint64_t nested;         /* of calls, those that began in another region */
    uint64_t tasks;          /* explicit ones that were made in it */
    /* Of the calls whose threads are known, by their events: */
    uint64_t measured;
    uint64_t joined;  /* of them, those whose last barrier was seen */
    uint64_t work_ns; /* all threads together */
    uint64_t wait_ns[PINSIGHT_OMP_WAIT_COUNT];
    uint64_t imbalance_ns;        /* all threads; part of wait_ns of implicit barriers */
    uint64_t longest_ns, mean_ns; /* sums over calls of the longest and of the mean work */
    uint64_t fork_ns, join_ns;
    uint32_t threads;         /* the largest team */
    uint64_t *thread_work_ns; /* by number in the team */
    uint32_t thread_work_count;
    uint32_t
        last_count; /* of what MONITORING counted of it, plus one; 0 where it counted nothing */
    struct pinsight_omp_caller caller;
};

/* What MONITORING counted of a region in one thread: in the thread that starts it from begin to
 * end, in others their parts. */
struct pinsight_omp_count {
    uint32_t process; /* its index */
    uint32_t before;  /* the count before it of the same region, plus one; 0 for none */
    struct pinsight_monitored counted;
};

/* How deep regions, and tasks in them, may be within each other in one thread; what is deeper is
 * counted with what it is in. */
#define PINSIGHT_OMP_DEEPEST 256
/* The work of threads with higher numbers is not kept apart. */
#define PINSIGHT_OMP_MOST_THREADS 1024

struct pinsight_omp_scope;
struct pinsight_omp_level;

struct pinsight_omp_thread {
    struct pinsight_thread *thread;
    struct pinsight_process *process;
    uint32_t number;          /* OpenMP's, in the process */
    uint8_t type;             /* of the enum thread_type, 0 where not known */
    bool in_team;             /* had a part in a region */
    bool over;                /* the runtime said that the thread ends */
    uint32_t lowest, highest; /* numbers that it had in teams */
    uint64_t first_ns, last_ns, events;
    uint64_t parts;                             /* regions that it had a part in */
    uint64_t work_ns, waiting_ns, imbalance_ns; /* in them, those within others not counted twice */
    uint64_t regions;                           /* that it started */
    uint64_t outside_ns; /* in regions that it started while no Python was open in it */
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
    uint64_t last_early_ns; /* when a part of no region that is known began last */
    struct pinsight_omp_count *counts;
    size_t count_count, count_capacity;
    struct pinsight_map count_map; /* by region, process and OS thread */
    uint64_t tasks_made, tasks_done;
    uint64_t unmatched_begins; /* regions whose end was not seen */
    uint64_t unmatched_ends;   /* ends of regions whose begin was not */
    uint64_t too_deep;
};

READER_STATE(pinsight_model_openmp, struct pinsight_openmp, struct pinsight_model, OPENMP)
READER_STATE(pinsight_thread_openmp, struct pinsight_omp_thread, struct pinsight_thread, OPENMP)

/* The model's OpenMP, made at its first mention. */
struct pinsight_openmp *pinsight_openmp_of(struct pinsight_model *model);
void pinsight_openmp_free(struct pinsight_model *model);

/* What OpenMP does in a thread, made at its first event. process is the one that the event is of.
 */
struct pinsight_omp_thread *pinsight_omp_thread_of(struct pinsight_thread *thread,
                                                   struct pinsight_process *process);
void pinsight_omp_thread_free(struct pinsight_thread *thread);

/* The sums of a region. */
struct pinsight_omp_region *pinsight_omp_region_of(struct pinsight_model *model, uint32_t native,
                                                   uint32_t path, enum pinsight_omp_kind kind);

/* Adds to what MONITORING counted of a region in a thread. */
void pinsight_omp_count(struct pinsight_thread *thread, uint32_t native,
                        const struct pinsight_monitored *counted);

/* A thread starts a region, which is numbered in its process; task is the one that meets it, 0
 * where not known. */
void pinsight_omp_region_begin(struct pinsight_omp_thread *thread, uint64_t id, uint64_t task,
                               uint32_t native, uint32_t path, enum pinsight_omp_kind kind,
                               uint64_t ns);
void pinsight_omp_region_end(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns);

/* A thread begins and ends its part of a region: an implicit task. */
void pinsight_omp_part_begin(struct pinsight_omp_thread *thread, uint64_t id, uint64_t task,
                             uint32_t number, uint32_t team_size, uint64_t ns);
void pinsight_omp_part_end(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns);

/* It leaves the barrier that it is in at the end of a region, and its part with it, if it is in
 * one. */
void pinsight_omp_part_left(struct pinsight_omp_thread *thread, uint64_t ns);

/* It arrives somewhere where it may have to wait, and leaves again; and the waiting within. sync is
 * a value of the enum sync_kind, 0 where the event has none. */
void pinsight_omp_sync(struct pinsight_omp_thread *thread, uint64_t id, enum pinsight_omp_wait wait,
                       unsigned sync, bool begin, uint64_t ns);
void pinsight_omp_sync_wait(struct pinsight_omp_thread *thread, uint64_t id,
                            enum pinsight_omp_wait wait, bool begin, uint64_t ns);

/* It wants a mutex; and it has it. */
void pinsight_omp_acquire(struct pinsight_omp_thread *thread, uint64_t id,
                          enum pinsight_omp_wait wait, uint64_t ns);
void pinsight_omp_acquired(struct pinsight_omp_thread *thread, uint64_t id,
                           enum pinsight_omp_wait wait, uint64_t ns);

/* An explicit task is made; and a thread goes from one task to another. status is a value of the
 * enum task_status, of the one that it leaves. */
void pinsight_omp_task_made(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns);
void pinsight_omp_task_switch(struct pinsight_omp_thread *thread, uint64_t id, uint64_t prior,
                              uint64_t next, unsigned status, uint64_t ns);

/* Anything else that happens in a part of a region. */
void pinsight_omp_other(struct pinsight_omp_thread *thread, uint64_t id, uint64_t ns);

/* Ends what is open in a thread; returns how many regions that were. */
uint64_t pinsight_openmp_close(struct pinsight_thread *thread, uint64_t ns);

/* The program was held: what began before a time begins later by a pause. */
void pinsight_openmp_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns);

#endif
