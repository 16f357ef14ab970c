/* Regions that are under way. Between openmp.c (sums), team.c (a region and its team) and
 * thread.c and wait.c (what one thread does in it). */
#ifndef PINSIGHT_READER_OPENMP_TEAM_H
#define PINSIGHT_READER_OPENMP_TEAM_H

#include "reader/openmp/openmp.h"

/* What a thread is in: a region that it started, or its part of one. */
enum pinsight_omp_scope_kind { PINSIGHT_SCOPE_REGION, PINSIGHT_SCOPE_PART };

/* A task that the thread has begun in a part, and what that waits for. The lowest level of a part
 * is its implicit task. */
struct pinsight_omp_level {
    uint64_t task;
    uint8_t wait; /* enum pinsight_omp_wait */
    bool in_sync; /* between the arrival at a synchronisation and leaving it */
};

struct pinsight_omp_scope {
    uint64_t id;   /* of the region */
    uint64_t task; /* of a region: the task that meets it; of a part: its implicit task */
    uint64_t begin_ns;
    uint32_t
        instance; /* PINSIGHT_NONE without; may be of another region by now, see _instance_in */
    uint8_t kind;
    uint8_t region_kind; /* of a region: enum pinsight_omp_kind */
    /* The rest is of a part. */
    bool accounted;    /* its region is over; what comes is of no interest */
    bool in_barrier;   /* in an implicit barrier */
    bool barrier_seen; /* there was one */
    bool left_last;    /* nothing happened since the thread left one */
    bool ends_region;  /* the last one is said to end the region */
    uint8_t mutex;     /* enum pinsight_omp_wait, what it wants */
    uint32_t number, team_size;
    uint64_t since_ns; /* until then its time is accounted for */
    uint64_t work_ns, wait_ns[PINSIGHT_OMP_WAIT_COUNT];
    uint64_t barrier_wait_ns;       /* in the last implicit barrier */
    uint64_t left_ns, left_work_ns; /* when it left that, and the work until then */
    size_t base;                    /* its lowest level */
};

/* One execution of a region. */
struct pinsight_omp_instance {
    uint64_t id;
    struct pinsight_process *process; /* NULL for one that is free */
    uint32_t next;                    /* in its bucket, or in the list of free ones */
    uint32_t region;                  /* its sums */
    struct pinsight_omp_thread *primary;
    uint64_t begin_ns;
    uint64_t flows;      /* the first number of those that lead to its parts, see timeline.h */
    uint32_t flow_count; /* numbers */
    bool nested;
    struct pinsight_omp_thread **members;
    size_t member_count, member_capacity;
    /* The Python stack of the primary when it began: its depth, and the time in what was called
     * from its top. */
    size_t depth;
    uint64_t frame_ns; /* when that frame began */
    uint64_t python_ns;
    /* Parts that are over. */
    uint32_t parts, joined;
    uint64_t work_ns, longest_ns, imbalance_ns, wait_ns[PINSIGHT_OMP_WAIT_COUNT];
    /* That of the primary. */
    bool has_primary;
    uint64_t primary_begin_ns, primary_end_ns, primary_waiting_ns, primary_imbalance_ns;
};

/* The region with a number that is under way in a process, PINSIGHT_NONE without; and a new one. */
uint32_t pinsight_omp_find(const struct pinsight_openmp *openmp,
                           const struct pinsight_process *process, uint64_t id);
uint32_t pinsight_omp_start(struct pinsight_openmp *openmp, struct pinsight_process *process,
                            uint64_t id);

/* The region that a scope is of, while it is under way; or NULL. */
struct pinsight_omp_instance *pinsight_omp_instance_in(const struct pinsight_omp_thread *thread,
                                                       const struct pinsight_omp_scope *scope);

/* Accounts for a part that ends now. */
void pinsight_omp_contribute(struct pinsight_omp_thread *thread, struct pinsight_omp_scope *scope,
                             uint64_t ns);

/* Ends a region: adds it to its sums. */
void pinsight_omp_finish(struct pinsight_openmp *openmp, struct pinsight_omp_instance *instance,
                         uint64_t ns);

/* Accounts for the time of a part since it was last looked at. */
void pinsight_omp_charge(struct pinsight_omp_thread *thread, struct pinsight_omp_scope *scope,
                         uint64_t ns);

/* The thread did something: returns the time of it, which does not run back within the thread. */
uint64_t pinsight_omp_enter(struct pinsight_omp_thread *thread, uint64_t ns);

/* The thread begins a task in its innermost part. */
void pinsight_omp_push_level(struct pinsight_omp_thread *thread, uint64_t task);

/* A thread's open part of a region, the innermost; or NULL. */
struct pinsight_omp_scope *pinsight_omp_part_in(struct pinsight_omp_thread *thread, uint64_t id);

/* slices.c: the same as slices of the timeline, where somebody looks. `team` is how many
 * members were asked for, 0 where that is not known. */
void pinsight_omp_show_region(struct pinsight_omp_thread *thread,
                              struct pinsight_omp_instance *instance, uint32_t team);
void pinsight_omp_show_part(struct pinsight_omp_thread *thread,
                            const struct pinsight_omp_scope *scope);
/* A part that is shown has a region, that was told just after it. */
void pinsight_omp_name_part(struct pinsight_omp_thread *thread,
                            const struct pinsight_omp_scope *scope);
void pinsight_omp_show_wait(struct pinsight_omp_thread *thread, enum pinsight_omp_wait wait,
                            bool begin, uint64_t ns);
void pinsight_omp_show_task(struct pinsight_omp_thread *thread, uint64_t task, bool begin,
                            uint64_t ns);

/* ---- ingest.c ---- */

struct pinsight_event;

/* Takes any event of the domain OpenMP. */
void pinsight_ingest_openmp(struct pinsight_model *model, const struct pinsight_event *event);

/* The thread of an event of OpenMP; NULL of its definitions. */
struct pinsight_thread *pinsight_openmp_event_thread(struct pinsight_model *model,
                                                     const struct pinsight_event *event);

#endif
