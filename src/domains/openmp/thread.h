/*
 * What the OpenMP domain keeps for a thread: its number, and what it has begun. Ends come late in
 * workers (when they are needed again) and with little data, so everything that an end needs is
 * kept here, from its begin. Only the thread itself touches its state, but where it says otherwise.
 */
#ifndef PINSIGHT_OPENMP_THREAD_H
#define PINSIGHT_OPENMP_THREAD_H

#include "core/link.h"
#include "core/native.h"
#include "domains/openmp/ompt.h"
#include "domains/openmp/settings.h"
#include "record/openmp.h"

/* A parallel region, from its begin to its end: what parallel_data points to, and what libgomp is
 * given in place of the data of the program's outlined function. Never given back to the heap: a
 * forked child, or a worker that comes late, may still have it. What the members read comes first,
 * in one line of their caches: each of them has to fetch it before it can begin. */
struct pinsight_ompt_region {
    /* Of GCC's OpenMP; GOMP_parallel_reductions() looks for the reductions at the first place. */
    void *reductions;
    void (*function)(void *); /* the outlined function, and its data */
    void *data;
    const struct pinsight_gomp_runtime *runtime;
    uint64_t parallel_id, codeptr;
    uint32_t process; /* pid that it was begun in */
    uint32_t team;    /* number of the team that its threads are in; of a league's, their index */
    bool live;        /* what happens in it is recorded */
    bool recorded;    /* its begin was */
    bool last;        /* of its window */
    bool counts;      /* MONITORING counts it */
    bool is_league;   /* GCC's OpenMP: of teams, and no team */
    uint8_t work;     /* GCC's OpenMP: ompt_work_t of the construct that is one with it; 0: none */
    /* The second line. */
    uint64_t work_count; /* of that construct */
    struct pinsight_lexgion *lexgion;
    struct pinsight_counted_call counted;
    struct pinsight_ompt_region *outer; /* that its thread began before and has not ended; also the
                                          list of free ones */
} __attribute__((aligned(64)));

/* A thread's part of a region: an implicit or initial task. */
struct pinsight_omp_context {
    uint64_t parallel_id, codeptr, task_id;
    uint64_t outer_task; /* the task of the thread before */
    uint32_t team, thread_num;
    uint32_t opens; /* what the thread had open before */
    bool initial;   /* its initial task: outside of regions, or a team's of a league */
    bool live;      /* what happens in it is recorded */
    bool recorded;  /* its begin was */
    uint8_t at;     /* sync_kind of a barrier that is recorded with the wait in it; 0 is none */
    bool single;    /* the thread executes a single construct, or did and its end is not told */
    struct pinsight_counted_call counted; /* of a worker: its part, until the barrier at the end */
    uint64_t arrived;                     /* counted ones: ticks at the last barrier */
    struct pinsight_omp_context *below;
};

/* Something that was begun and recorded: a worksharing construct, a wait. */
struct pinsight_omp_open {
    uint8_t kind; /* enum pinsight_openmp_kind */
    uint8_t type; /* work_type, sync_kind, mutex_kind ... */
    int32_t device;
    uint64_t key; /* of a mutex its wait_id, of a target construct its id */
    uint64_t codeptr, count;
};

/* An implicit task that ended in a barrier: recorded with what the thread does next. */
struct pinsight_omp_ended {
    uint64_t parallel_id, codeptr, task_id; /* task_id 0: there is none */
    uint32_t team, thread_num;
    uint8_t sync_kind;
};

/* The part of a region that a thread of libgomp's was in last. Nobody tells when it leaves the
 * barrier there: it does so at the latest when it begins something else. */
struct pinsight_gomp_left {
    bool is_open, has_barrier;
    uint64_t task, outer_task; /* values of ompt_data_t */
    const struct pinsight_gomp_runtime *runtime;
};

/* What a thread is in of GCC's OpenMP (gomp.h). */
struct pinsight_gomp_thread {
    bool is_reported; /* its begin was told */
    uint64_t task;    /* that it executes, as a value of ompt_data_t */
    const struct pinsight_gomp_runtime **current;
    struct pinsight_gomp_left left;
    struct pinsight_gomp_split *split; /* regions that begin and end by two calls */
};

struct pinsight_ompt_thread {
    struct pinsight_native_thread native;
    uint32_t number;          /* global_thread_num */
    uint8_t type;             /* ompt_thread_t */
    bool recorded;            /* thread_begin was recorded */
    uint64_t task;            /* that it executes; 0 not known */
    uint64_t next_id, end_id; /* its share of the process's ids */
    uint64_t wanted_mutex;    /* wait_id whose wanting was recorded last, while it waits */
    bool wants_mutex;
    struct pinsight_omp_context outside_all; /* what is in no task that was seen to begin */
    struct pinsight_omp_context *top;        /* the innermost, at last outside_all */
    struct pinsight_omp_context *spare;      /* to be used again */
    struct pinsight_omp_open *opens;
    uint32_t open_count, open_room;
    struct pinsight_ompt_region *regions; /* begun and not ended, innermost first */
    struct pinsight_ompt_region *free_regions;
    const struct pinsight_ompt_region *last_region; /* that it was a member of last */
    struct pinsight_omp_ended ended;
    struct pinsight_gomp_thread gomp;
};

/* What the domain has as one of native code; and of its constructs, for domain.c. */
extern struct pinsight_native_table pinsight_omp_lexgions;
void pinsight_omp_lexgion_define(const struct pinsight_lexgion *state);

/* Make the calling thread's state. Unless something `begins` that nothing was before in this
 * thread, it may be in tasks whose begins nobody saw. NULL when memory is short, when the
 * thread is ending, and where something begins within fork(). */
struct pinsight_ompt_thread *pinsight_omp_thread_new(bool begins) PINSIGHT_COLD;

/* The calling thread's state, NULL where there is none yet. */
static inline struct pinsight_ompt_thread *pinsight_omp_thread_there(void) {
    struct pinsight_core_thread *core = pinsight_thread_there();
    return core ? core->state[pinsight_openmp_domain.slot] : NULL;
}

/* The same, made if there is none. */
static inline struct pinsight_ompt_thread *pinsight_omp_thread(void) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    return __builtin_expect(thread != NULL, 1) ? thread : pinsight_omp_thread_new(false);
}
static inline struct pinsight_ompt_thread *pinsight_omp_thread_begins(void) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    return __builtin_expect(thread != NULL, 1) ? thread : pinsight_omp_thread_new(true);
}

static inline struct pinsight_omp_context *pinsight_omp_here(struct pinsight_ompt_thread *thread) {
    return thread->top;
}

/* The thread begins a region, which is returned; NULL when memory is short. `requested` threads or
 * teams, `flags` of ompt_parallel_flag_t, `codeptr` names the region. And it ends. */
struct pinsight_ompt_region *pinsight_omp_region_begins(struct pinsight_ompt_thread *thread,
                                                        unsigned requested, int flags,
                                                        const void *codeptr);
void pinsight_omp_region_ends(struct pinsight_ompt_thread *thread,
                              struct pinsight_ompt_region *region);

/* An implicit or initial task of the thread begins in a region, or in none (NULL); `flags` are of
 * ompt_task_flag_t. Returns the value of its data, 0 when memory is short. And one ends: NULL for
 * the innermost. */
uint64_t pinsight_omp_task_begins(struct pinsight_ompt_thread *thread,
                                  struct pinsight_ompt_region *region, uint32_t size,
                                  uint32_t index, uint32_t flags);
void pinsight_omp_task_ends(struct pinsight_ompt_thread *thread, const ompt_data_t *task_data);

/* The thread arrives at the barrier at the end of its part of a region, and waits; and it leaves
 * the barrier, and its part, whose data's value is `task`. */
void pinsight_omp_arrives(struct pinsight_ompt_thread *thread);
void pinsight_omp_leaves(struct pinsight_ompt_thread *thread, uint64_t task);

/* A new context on top, zeroed but for the task; NULL when memory is short. */
struct pinsight_omp_context *pinsight_omp_push(struct pinsight_ompt_thread *thread);

/* Take the context on top away; its memory is good until the next push. */
struct pinsight_omp_context *pinsight_omp_pop(struct pinsight_ompt_thread *thread);

/* A region from the thread's store, or NULL. */
struct pinsight_ompt_region *pinsight_omp_region_new(struct pinsight_ompt_thread *thread);

/* Remember what was begun; NULL when memory is short: then its begin is not to be recorded. */
struct pinsight_omp_open *pinsight_omp_open_slow(struct pinsight_ompt_thread *thread) PINSIGHT_COLD;

static inline struct pinsight_omp_open *pinsight_omp_open(struct pinsight_ompt_thread *thread) {
    return __builtin_expect(thread->open_count < thread->open_room, 1)
               ? &thread->opens[thread->open_count++]
               : pinsight_omp_open_slow(thread);
}

/* Find what was begun in the context that is on top, and forget it: the innermost of that kind, of
 * `key` where that is not 0. Returns false where there is none, or fills in `found`. */
bool pinsight_omp_close_slow(struct pinsight_ompt_thread *thread, unsigned kind, uint64_t key,
                             struct pinsight_omp_open *found) PINSIGHT_COLD;

static inline bool pinsight_omp_close(struct pinsight_ompt_thread *thread, unsigned kind,
                                      uint64_t key, struct pinsight_omp_open *found) {
    uint32_t last = thread->open_count - 1;
    if (thread->open_count == pinsight_omp_here(thread)->opens)
        return false;
    if (thread->opens[last].kind != kind || (key && thread->opens[last].key != key))
        return pinsight_omp_close_slow(thread, kind, key, found);
    *found = thread->opens[last];
    thread->open_count = last;
    return true;
}

/* A number that no other region, task or operation of the process has; never 0. */
uint64_t pinsight_omp_ids(struct pinsight_ompt_thread *thread) PINSIGHT_COLD;
static inline uint64_t pinsight_omp_new_id(struct pinsight_ompt_thread *thread) {
    return thread->next_id < thread->end_id ? thread->next_id++ : pinsight_omp_ids(thread);
}

/* The mode is another than `mode` or threads are to wait: wait where `may_wait`, and tell whether
 * the mode is TRACING. */
bool pinsight_omp_wanted_slow(struct pinsight_ompt_thread *thread, bool may_wait) PINSIGHT_COLD;

/* Is TRACING on? Where threads are to stop (`may_wait`: nothing of the runtime's is held), they do.
 */
static inline bool pinsight_omp_tracing(struct pinsight_ompt_thread *thread, bool may_wait) {
    return __builtin_expect(
               pinsight_domain_mode_now(&pinsight_openmp_domain) == PINSIGHT_MODE_TRACING, 1) ||
           pinsight_omp_wanted_slow(thread, may_wait);
}

/* Are the thread and the team of this context in their ranges? */
static inline bool pinsight_omp_is_in_range(const struct pinsight_omp_context *context) {
    return pinsight_omp_in_range(PINSIGHT_OPENMP_PUNIT_THREAD, context->thread_num) &&
           pinsight_omp_in_range(PINSIGHT_OPENMP_PUNIT_TEAM, context->team);
}

/* Is what begins in this context recorded, as far as the context goes? One outside of regions lasts
 * for long, and its range may be changed. */
static inline bool pinsight_omp_lives(const struct pinsight_omp_context *context) {
    return context->live && (!context->initial || pinsight_omp_is_in_range(context));
}

/* Is an event of that kind that begins now to be recorded? */
static inline bool pinsight_omp_wanted(struct pinsight_ompt_thread *thread, unsigned kind) {
    return pinsight_omp_tracing(thread, true) && pinsight_omp_lives(pinsight_omp_here(thread)) &&
           pinsight_omp_kind_is_on(kind);
}

/* Make sure that an address is explained in the trace before an event has it. */
static inline uint64_t pinsight_omp_code(struct pinsight_ompt_thread *thread, const void *codeptr) {
    if (codeptr)
        pinsight_native_lexgion_find(&pinsight_omp_native, &thread->native.cache, codeptr, NULL);
    return (uintptr_t)codeptr;
}

/* Begin something that has an end; NULL where it is not to be recorded. */
static inline struct pinsight_omp_open *pinsight_omp_begin(struct pinsight_ompt_thread *thread,
                                                           unsigned kind, unsigned type,
                                                           const void *codeptr) {
    if (!pinsight_omp_wanted(thread, kind))
        return NULL;
    struct pinsight_omp_open *open = pinsight_omp_open(thread);
    if (!open)
        return NULL;
    *open = (struct pinsight_omp_open){.kind = (uint8_t)kind,
                                       .type = (uint8_t)type,
                                       .codeptr = pinsight_omp_code(thread, codeptr)};
    return open;
}

/* ---- recording ---- */

/* Bytes of an event, about: the recorder's, and the fields that all have. */
#define PINSIGHT_OMP_EVENT_BYTES (PINSIGHT_EVENT_HEAD_BYTES + 36)

/* Before an event, and after it. */
static inline void pinsight_omp_progress(struct pinsight_ompt_thread *thread) {
    pinsight_native_record(&pinsight_omp_native, &thread->native);
}
static inline void pinsight_omp_recorded(struct pinsight_ompt_thread *thread) {
    pinsight_native_recorded(&pinsight_omp_native, &thread->native, PINSIGHT_OMP_EVENT_BYTES);
}

/* The fields that all events have, of a thread in a context. */
#define PINSIGHT_OMP_COMMON_OF(thread, context, task)                                              \
    (thread)->number, (context)->team, (context)->thread_num, (context)->parallel_id, (task),      \
        (context)->codeptr
#define PINSIGHT_OMP_COMMON(thread, context) PINSIGHT_OMP_COMMON_OF(thread, context, (thread)->task)

#define PINSIGHT_OMP_RECORD(thread, event, ...)                                                    \
    do {                                                                                           \
        if (pinsight_record_openmp_##event##_enabled()) {                                          \
            pinsight_omp_progress(thread);                                                         \
            pinsight_record_openmp_##event(__VA_ARGS__);                                           \
            pinsight_omp_recorded(thread);                                                         \
        }                                                                                          \
    } while (0)

/* The same for an event with so many fields that they are handed over together. */
#define PINSIGHT_OMP_RECORD_ALL(thread, event, ...)                                                \
    do {                                                                                           \
        if (pinsight_record_openmp_##event##_enabled()) {                                          \
            const struct pinsight_record_openmp_##event fields = {__VA_ARGS__};                    \
            pinsight_omp_progress(thread);                                                         \
            pinsight_record_openmp_##event(&fields);                                               \
            pinsight_omp_recorded(thread);                                                         \
        }                                                                                          \
    } while (0)

/* ---- what tasks carry ---- */

/* The value of a task's data: its number, and two bits. */
#define PINSIGHT_OMP_TASK_RECORDED UINT64_C(1)
#define PINSIGHT_OMP_TASK_EXPLICIT UINT64_C(2)
static inline uint64_t pinsight_omp_task_id(const ompt_data_t *data) {
    return data ? data->value >> 2 : 0;
}

/* ---- for the domain's descriptor ---- */

void pinsight_omp_thread_end(struct pinsight_core_thread *thread, void *state);
void pinsight_omp_thread_free(void *state);

/* In a forked child. */
void pinsight_omp_thread_fork_child(void);

/* End the contexts above `context`, and what is open in them, as lost. The thread's own call. */
void pinsight_omp_close_lost(struct pinsight_ompt_thread *thread,
                             const struct pinsight_omp_context *context);

/* End what is open in the context on top, as lost. The thread's own call. */
void pinsight_omp_close_opens(struct pinsight_ompt_thread *thread);

/* End a single construct whose end the runtime does not tell; see work.c. */
void pinsight_omp_end_unreported_single(struct pinsight_ompt_thread *thread) PINSIGHT_COLD;

/* The thread in `here`, which is on top, comes to what cannot stand in a single construct. */
static inline void pinsight_omp_leave_single(struct pinsight_ompt_thread *thread,
                                             struct pinsight_omp_context *here) {
    if (__builtin_expect(here->single, 0))
        pinsight_omp_end_unreported_single(thread);
}

/* The ends as they are recorded; each in the file of its begin. */
void pinsight_omp_end_open(struct pinsight_ompt_thread *thread,
                           const struct pinsight_omp_open *open);
void pinsight_omp_end_target(struct pinsight_ompt_thread *thread,
                             const struct pinsight_omp_open *open);
void pinsight_omp_end_context(struct pinsight_ompt_thread *thread);

void pinsight_omp_end_sync(struct pinsight_ompt_thread *thread,
                           const struct pinsight_omp_open *open);

/* The task on top ends. Does it in a barrier that is recorded in one? Then its end is kept, and
 * recorded with the next task that the thread begins, or by the second of these. */
bool pinsight_omp_end_in_barrier(struct pinsight_ompt_thread *thread);
void pinsight_omp_record_ended(struct pinsight_ompt_thread *thread);

/* The only thread of a forked child begins, and its initial task. */
void pinsight_omp_begin_child(struct pinsight_ompt_thread *thread);
void pinsight_omp_end_region(struct pinsight_ompt_thread *thread,
                             struct pinsight_ompt_region *region);

#endif
