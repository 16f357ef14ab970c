/* Open regions. Shared by openmp.c (sums), team.c (a region and its team), and thread.c and wait.c
 * (one thread in it). */
#ifndef PINSIGHT_READER_OPENMP_TEAM_H
#define PINSIGHT_READER_OPENMP_TEAM_H

#include "reader/openmp/openmp.h"

/* A scope of a thread: a region that it started, or its part of a region. */
enum pinsight_omp_scope_kind { PINSIGHT_SCOPE_REGION, PINSIGHT_SCOPE_PART };

/* A task that the thread has begun in a part, and the cause of its waiting. The lowest level of a
 * part is its implicit task. */
struct pinsight_omp_level {
    uint64_t task;
    uint8_t wait; /* enum pinsight_omp_wait */
    bool in_sync; /* between the begin and the end of a synchronisation */
};

struct pinsight_omp_scope {
    uint64_t id;   /* of the region */
    uint64_t task; /* for a region, the task that meets it; for a part, its implicit task */
    uint64_t begin_ns;
    /* PINSIGHT_NONE if there is none. May belong to another region by now; see
     * pinsight_omp_instance_in(). */
    uint32_t instance;
    uint8_t kind;
    uint8_t region_kind; /* for a region: enum pinsight_omp_kind */
    /* Only for a part: */
    bool accounted;    /* its region has ended; further events are ignored */
    bool in_barrier;   /* in an implicit barrier */
    bool barrier_seen; /* it has been in one */
    bool left_last;    /* no event since the thread left one */
    bool ends_region;  /* the last one is reported to end the region */
    uint8_t mutex;     /* enum pinsight_omp_wait for the mutex that it wants */
    uint32_t number, team_size;
    uint64_t since_ns; /* its time is accounted for until then */
    uint64_t work_ns, wait_ns[PINSIGHT_OMP_WAIT_COUNT];
    uint64_t barrier_wait_ns;       /* in the last implicit barrier */
    uint64_t left_ns, left_work_ns; /* time of leaving that barrier, and the work until then */
    size_t base;                    /* its lowest level */
};

/* One execution of a region. */
struct pinsight_omp_instance {
    uint64_t id;
    struct pinsight_process *process; /* NULL if the entry is free */
    uint32_t next;                    /* in its bucket, or in the list of free entries */
    uint32_t region;                  /* index of its sums */
    struct pinsight_omp_thread *primary;
    uint64_t begin_ns;
    uint64_t flows;      /* first number of the flows to its parts; see timeline.h */
    uint32_t flow_count; /* number of these flows */
    bool nested;
    struct pinsight_omp_thread **members;
    size_t member_count, member_capacity;
    /* The Python stack of the primary at the begin: its depth, and the time in calls from its top
     * frame. */
    size_t depth;
    uint64_t frame_ns; /* begin of that frame */
    uint64_t python_ns;
    /* Sums over the parts that have ended: */
    uint32_t parts, joined;
    uint64_t work_ns, longest_ns, imbalance_ns, wait_ns[PINSIGHT_OMP_WAIT_COUNT];
    /* Times of the primary: */
    bool has_primary;
    uint64_t primary_begin_ns, primary_end_ns, primary_waiting_ns, primary_imbalance_ns;
};

/* Return the open region with a number in a process, or PINSIGHT_NONE; and make a new one. */
uint32_t pinsight_omp_find(const struct pinsight_openmp *openmp,
                           const struct pinsight_process *process, uint64_t id);
uint32_t pinsight_omp_start(struct pinsight_openmp *openmp, struct pinsight_process *process,
                            uint64_t id);

/* Returns the region of a scope while it is open, or NULL. */
struct pinsight_omp_instance *pinsight_omp_instance_in(const struct pinsight_omp_thread *thread,
                                                       const struct pinsight_omp_scope *scope);

/* Adds the times of a part that ends now to its region. */
void pinsight_omp_contribute(struct pinsight_omp_thread *thread, struct pinsight_omp_scope *scope,
                             uint64_t ns);

/* Ends a region, and adds it to its sums. */
void pinsight_omp_finish(struct pinsight_openmp *openmp, struct pinsight_omp_instance *instance,
                         uint64_t ns);

/* Accounts for the time of a part since the last call. */
void pinsight_omp_charge(struct pinsight_omp_thread *thread, struct pinsight_omp_scope *scope,
                         uint64_t ns);

/* Counts an event of a thread. Returns its time, which does not run backwards in the thread. */
uint64_t pinsight_omp_enter(struct pinsight_omp_thread *thread, uint64_t ns);

/* Begins a task in the thread's innermost part. */
void pinsight_omp_push_level(struct pinsight_omp_thread *thread, uint64_t task);

/* Returns the innermost open part of a region in a thread, or NULL. */
struct pinsight_omp_scope *pinsight_omp_part_in(struct pinsight_omp_thread *thread, uint64_t id);

/* ---- slices.c: regions and parts as slices of the timeline, if there is a view ---- */

/* Shows a region. `team` is the requested number of members, 0 if unknown. */
void pinsight_omp_show_region(struct pinsight_omp_thread *thread,
                              struct pinsight_omp_instance *instance, uint32_t team);
void pinsight_omp_show_part(struct pinsight_omp_thread *thread,
                            const struct pinsight_omp_scope *scope);
/* Names a part that is shown already, because the event of its region came just after it. */
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

/* Returns the thread of an event of OpenMP, or NULL for a definition. */
struct pinsight_thread *pinsight_openmp_event_thread(struct pinsight_model *model,
                                                     const struct pinsight_event *event);

#endif
