/*
 * The state of a thread in the OpenMP domain: its number, and the constructs that it has begun. A
 * worker's ends come late, when the worker is needed again, and with little data. Therefore the
 * state keeps everything that an end needs. Only the thread itself uses its state, unless stated
 * otherwise.
 */
#ifndef PINSIGHT_OPENMP_THREAD_H
#define PINSIGHT_OPENMP_THREAD_H

#include "tracer/core/link.h"
#include "tracer/core/native.h"
#include "tracer/openmp/ompt.h"
#include "tracer/openmp/region.h"
#include "tracer/openmp/settings.h"
#include "tracer/record/openmp.h"

/* A thread's implicit or initial task in a region. */
struct pinsight_omp_context {
    uint64_t parallel_id, codeptr, task_id;
    uint64_t outer_task; /* the thread's task before it */
    uint32_t team, thread_num;
    uint32_t opens; /* number of open constructs at its begin */
    bool initial;   /* an initial task: outside of regions, or of a team in a league */
    bool live;      /* events in it are recorded */
    bool recorded;  /* its begin was recorded */
    uint8_t at;     /* sync_kind of a barrier that is recorded together with its wait; 0: none */
    bool single;    /* in a single construct whose end has not been reported */
    struct pinsight_counted_call counted; /* of a worker: its part, until the barrier at the end */
    uint64_t arrived;                     /* if counted: ticks at the last barrier */
    struct pinsight_omp_context *below;
};

/* An open construct or wait whose begin was recorded. */
struct pinsight_omp_open {
    uint8_t kind; /* enum pinsight_openmp_kind, or PINSIGHT_OMP_... */
    uint8_t type; /* work_type, sync_kind, mutex_kind, depending on `kind` */
    int32_t device;
    uint64_t key; /* wait_id of a mutex; id of a target construct */
    uint64_t codeptr, count;
};

/* An implicit task that ended in a barrier. The thread's next event includes its end. */
struct pinsight_omp_ended {
    uint64_t parallel_id, codeptr, task_id; /* task_id 0: there is none */
    uint32_t team, thread_num;
    uint8_t sync_kind;
};

/* The last part of a region that a thread of libgomp executed. libgomp does not report when the
 * thread leaves the barrier at the end. The next event of the thread is taken as that moment at the
 * latest. */
struct pinsight_gomp_left {
    bool is_open, has_barrier;
    uint64_t task, outer_task; /* values of ompt_data_t */
    const struct pinsight_gomp_runtime *runtime;
};

/* The state of a thread in GCC's OpenMP (gomp.h). */
struct pinsight_gomp_thread {
    bool is_reported; /* thread_begin was called for it */
    uint64_t task;    /* the current task, as a value of ompt_data_t */
    const struct pinsight_gomp_runtime **current;
    struct pinsight_gomp_left left;
    struct pinsight_gomp_split *split; /* regions that the program begins and ends by two calls */
};

#define PINSIGHT_OMP_FREE 16 /* for regions that a loop of a program begins in turn */

struct pinsight_ompt_thread {
    struct pinsight_native_thread native;
    uint32_t number;          /* global_thread_num */
    uint8_t type;             /* ompt_thread_t */
    bool recorded;            /* thread_begin was recorded */
    uint64_t task;            /* current task; 0 if unknown */
    uint64_t next_id, end_id; /* the thread's share of the process's numbers */
    uint64_t wanted_mutex;    /* wait_id of the last recorded acquisition, while the thread waits */
    bool wants_mutex;
    struct pinsight_omp_context outside_all; /* the context outside of all observed tasks */
    struct pinsight_omp_context *top;        /* innermost context; outermost is outside_all */
    struct pinsight_omp_context *spare;      /* free contexts */
    struct pinsight_omp_open *opens;
    uint32_t open_count, open_room;
    struct pinsight_ompt_region *regions; /* open regions, innermost first */
    /* Free regions, by the address that identified them last; see pinsight_omp_free(). */
    struct pinsight_ompt_region *free[PINSIGHT_OMP_FREE];
    const struct pinsight_ompt_region *last_region; /* region of its last part */
    struct pinsight_omp_ended ended;
    struct pinsight_gomp_thread gomp;
};

/* The domain's lexgions, and the function that records one; for domain.c. */
extern struct pinsight_native_table pinsight_omp_lexgions;
void pinsight_omp_lexgion_define(const struct pinsight_lexgion *state);

/* Makes the calling thread's state. `begins` means that the thread begins something as its first
 * action. Otherwise it may be in tasks whose begins were not observed. Returns NULL if memory is
 * short, if the thread is ending, and at a begin within fork(). */
struct pinsight_ompt_thread *pinsight_omp_thread_new(bool begins) PINSIGHT_COLD;

/* Returns the calling thread's state, or NULL if there is none. */
static inline struct pinsight_ompt_thread *pinsight_omp_thread_there(void) {
    struct pinsight_core_thread *core = pinsight_thread_there();
    return core ? core->state[pinsight_openmp_domain.slot] : NULL;
}

/* Return the calling thread's state, and make it if there is none. NULL as above. The second is for
 * a begin. */
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

/* Begins a region in the thread. `requested` is a number of threads or teams, `flags` is of
 * ompt_parallel_flag_t, and `codeptr` identifies the region. Returns NULL if memory is short. The
 * second function ends the region. The third ends the thread's innermost region. */
struct pinsight_ompt_region *pinsight_omp_region_begins(struct pinsight_ompt_thread *thread,
                                                        unsigned requested, int flags,
                                                        const void *codeptr);
void pinsight_omp_region_ends(struct pinsight_ompt_thread *thread,
                              struct pinsight_ompt_region *region);
void pinsight_omp_end_region(struct pinsight_ompt_thread *thread,
                             struct pinsight_ompt_region *region);

/* Begins an implicit or initial task of the thread, in the region of a handle or in none (NULL).
 * `flags` is of ompt_task_flag_t. Returns the value of the task's data, or 0 if memory is short.
 * The second function ends the task, or the innermost one for NULL. */
uint64_t pinsight_omp_task_begins(struct pinsight_ompt_thread *thread, const void *handle,
                                  uint32_t size, uint32_t index, uint32_t flags);
void pinsight_omp_task_ends(struct pinsight_ompt_thread *thread, const ompt_data_t *task_data);

/* The thread arrives at the barrier at the end of its part of a region, and waits. The second
 * function makes it leave the barrier and the part. `task` is the value of the part's data. */
void pinsight_omp_arrives(struct pinsight_ompt_thread *thread);
void pinsight_omp_leaves(struct pinsight_ompt_thread *thread, uint64_t task);

/* Like pinsight_omp_leaves() and then pinsight_omp_task_begins() for an implicit task, if one event
 * stands for both and nothing else has to be done. Otherwise does nothing and returns 0. */
uint64_t pinsight_omp_leaves_for_next(struct pinsight_ompt_thread *thread, uint64_t task,
                                      const void *handle, uint32_t size, uint32_t index);

/* Like pinsight_omp_leaves() and then pinsight_omp_end_with_region(), if the end of the region is
 * the only event and nothing else has to be done. Otherwise does nothing and returns false. */
bool pinsight_omp_leaves_with_region(struct pinsight_ompt_thread *thread, uint64_t task,
                                     const struct pinsight_ompt_region *region);

/* Adds a context on top. All fields except the task are 0. Returns NULL if memory is short. */
static inline struct pinsight_omp_context *pinsight_omp_push(struct pinsight_ompt_thread *thread) {
    struct pinsight_omp_context *context = thread->spare;
    if (context)
        thread->spare = context->below;
    else if (!(context = pinsight_lines_new(sizeof *context))) /* no other thread writes there */
        return NULL;
    context->parallel_id = context->codeptr = context->task_id = context->arrived = 0;
    context->team = context->thread_num = 0;
    context->initial = context->live = context->recorded = context->single = false;
    context->at = 0;
    context->counted.node = NULL;
    context->outer_task = thread->task;
    context->opens = thread->open_count;
    context->below = thread->top;
    thread->top = context;
    return context;
}

/* Removes the top context. Its memory stays valid until the next push. */
static inline struct pinsight_omp_context *pinsight_omp_pop(struct pinsight_ompt_thread *thread) {
    struct pinsight_omp_context *context = thread->top;
    thread->task = context->outer_task;
    thread->top = context->below;
    context->below = thread->spare;
    thread->spare = context;
    return context;
}

/* Returns the list of the thread's free regions that `codeptr` probably identified. */
static inline struct pinsight_ompt_region **pinsight_omp_free(struct pinsight_ompt_thread *thread,
                                                              const void *codeptr) {
    return &thread->free[(uintptr_t)codeptr / 16 % PINSIGHT_OMP_FREE];
}

/* Returns a free region, or NULL if memory is short. */
struct pinsight_ompt_region *pinsight_omp_region_slow(void) PINSIGHT_COLD;
static inline struct pinsight_ompt_region *
pinsight_omp_region_new(struct pinsight_ompt_thread *thread, const void *codeptr) {
    struct pinsight_ompt_region **list = pinsight_omp_free(thread, codeptr), *region = *list;
    if (__builtin_expect(!region, 0))
        return pinsight_omp_region_slow();
    *list = region->outer;
    return region;
}

/* Adds an open construct. Returns NULL if memory is short; the begin must then not be recorded. */
struct pinsight_omp_open *pinsight_omp_open_slow(struct pinsight_ompt_thread *thread) PINSIGHT_COLD;

static inline struct pinsight_omp_open *pinsight_omp_open(struct pinsight_ompt_thread *thread) {
    return __builtin_expect(thread->open_count < thread->open_room, 1)
               ? &thread->opens[thread->open_count++]
               : pinsight_omp_open_slow(thread);
}

/* Finds the innermost open construct of a kind in the top context, and removes it. If `key` is not
 * 0, it must match. Fills in `found`, or returns false if there is none. */
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

/* Returns a number that no other region, task or operation of the process has; never 0. */
uint64_t pinsight_omp_ids(struct pinsight_ompt_thread *thread) PINSIGHT_COLD;
static inline uint64_t pinsight_omp_new_id(struct pinsight_ompt_thread *thread) {
    return thread->next_id < thread->end_id ? thread->next_id++ : pinsight_omp_ids(thread);
}

/* Makes the address of the thread's next region its handle. `codeptr` identifies the region. */
static inline void pinsight_omp_renumber_next(struct pinsight_ompt_thread *thread,
                                              const void *codeptr) {
    struct pinsight_ompt_region *next = *pinsight_omp_free(thread, codeptr);
    if (next)
        next->end_id = 0;
}

/* Waits if threads are paused and `may_wait` is set. Returns whether the mode is TRACING. */
bool pinsight_omp_wanted_slow(struct pinsight_ompt_thread *thread, bool may_wait) PINSIGHT_COLD;

/* Returns whether the mode is TRACING. If threads are paused, waits if `may_wait` is set. The
 * caller may set it only while the thread holds no lock of the runtime. */
static inline bool pinsight_omp_tracing(struct pinsight_ompt_thread *thread, bool may_wait) {
    return __builtin_expect(
               pinsight_domain_mode_now(&pinsight_openmp_domain) == PINSIGHT_MODE_TRACING, 1) ||
           pinsight_omp_wanted_slow(thread, may_wait);
}

/* Returns whether the thread and the team of a context are in their ranges. */
static inline bool pinsight_omp_is_in_range(const struct pinsight_omp_context *context) {
    return pinsight_omp_in_range(PINSIGHT_OPENMP_PUNIT_THREAD, context->thread_num) &&
           pinsight_omp_in_range(PINSIGHT_OPENMP_PUNIT_TEAM, context->team);
}

/* Returns whether the context allows that an event in it is recorded. A context outside of regions
 * lasts long, so its range is checked again. */
static inline bool pinsight_omp_lives(const struct pinsight_omp_context *context) {
    return context->live && (!context->initial || pinsight_omp_is_in_range(context));
}

/* Returns whether an event of a kind that begins now is to be recorded. */
static inline bool pinsight_omp_wanted(struct pinsight_ompt_thread *thread, unsigned kind) {
    return pinsight_omp_tracing(thread, true) && pinsight_omp_lives(pinsight_omp_here(thread)) &&
           pinsight_omp_kind_is_on(kind);
}

/* Records the definition of an address before an event that has it. Returns the address. */
static inline uint64_t pinsight_omp_code(struct pinsight_ompt_thread *thread, const void *codeptr) {
    if (codeptr)
        pinsight_native_lexgion_find(&pinsight_omp_native, &thread->native.cache, codeptr, NULL);
    return (uintptr_t)codeptr;
}

/* Begins a construct that has an end. Returns NULL if it is not to be recorded. */
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

/* Approximate bytes of an event: the recorder's head, and the common fields. */
#define PINSIGHT_OMP_EVENT_BYTES (PINSIGHT_EVENT_HEAD_BYTES + 36)

/* Called before and after an event. */
static inline void pinsight_omp_progress(struct pinsight_ompt_thread *thread) {
    pinsight_native_record(&pinsight_omp_native, &thread->native);
}
static inline void pinsight_omp_recorded(struct pinsight_ompt_thread *thread) {
    pinsight_native_recorded(&pinsight_omp_native, &thread->native, PINSIGHT_OMP_EVENT_BYTES);
}

/* The common fields of all events, for a thread in a context. */
#define PINSIGHT_OMP_COMMON_OF(thread, context, task)                                              \
    (thread)->number, (context)->team, (context)->thread_num, (context)->parallel_id, (task),      \
        (context)->codeptr
#define PINSIGHT_OMP_COMMON(thread, context) PINSIGHT_OMP_COMMON_OF(thread, context, (thread)->task)

/* For an event that has a listener. */
#define PINSIGHT_OMP_RECORD_LISTENED(thread, event, ...)                                           \
    do {                                                                                           \
        pinsight_omp_progress(thread);                                                             \
        pinsight_record_openmp_##event(__VA_ARGS__);                                               \
        pinsight_omp_recorded(thread);                                                             \
    } while (0)

#define PINSIGHT_OMP_RECORD(thread, event, ...)                                                    \
    do {                                                                                           \
        if (pinsight_record_openmp_##event##_enabled())                                            \
            PINSIGHT_OMP_RECORD_LISTENED(thread, event, __VA_ARGS__);                              \
    } while (0)

/* Like PINSIGHT_OMP_RECORD, for an event whose fields are passed in a struct. */
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

/* The value of a task's data is its number and two flags. */
#define PINSIGHT_OMP_TASK_RECORDED UINT64_C(1)
#define PINSIGHT_OMP_TASK_EXPLICIT UINT64_C(2)
static inline uint64_t pinsight_omp_task_id(const ompt_data_t *data) {
    return data ? data->value >> 2 : 0;
}

/* ---- for the domain's descriptor ---- */

void pinsight_omp_thread_end(struct pinsight_core_thread *thread, void *state);
void pinsight_omp_thread_free(void *state);

/* Resets the state of the domain in a forked child. Called in its only thread. */
void pinsight_omp_thread_fork_child(void);

/* Ends the contexts above `context`, with their open constructs, as lost. Called by the thread
 * itself. */
void pinsight_omp_close_lost(struct pinsight_ompt_thread *thread,
                             const struct pinsight_omp_context *context);

/* Ends the open constructs of the top context, as lost. Called by the thread itself. */
void pinsight_omp_close_opens(struct pinsight_ompt_thread *thread);

/* Ends a single construct whose end the runtime does not report; see work.c. */
void pinsight_omp_end_unreported_single(struct pinsight_ompt_thread *thread) PINSIGHT_COLD;

/* Called when the thread, whose top context is `here`, begins a construct that cannot be inside a
 * single construct. */
static inline void pinsight_omp_leave_single(struct pinsight_ompt_thread *thread,
                                             struct pinsight_omp_context *here) {
    if (__builtin_expect(here->single, 0))
        pinsight_omp_end_unreported_single(thread);
}

/* Record the end of an open construct, target construct, context, synchronisation. Each is in the
 * file of its begin. */
void pinsight_omp_end_open(struct pinsight_ompt_thread *thread,
                           const struct pinsight_omp_open *open);
void pinsight_omp_end_target(struct pinsight_ompt_thread *thread,
                             const struct pinsight_omp_open *open);
void pinsight_omp_end_context(struct pinsight_ompt_thread *thread);

void pinsight_omp_end_sync(struct pinsight_ompt_thread *thread,
                           const struct pinsight_omp_open *open);

/* Called when the top task ends. Returns true if the end is in a barrier that is recorded together
 * with its wait. The end is then recorded with the thread's next task, or by
 * pinsight_omp_record_ended(). */
bool pinsight_omp_end_in_barrier(struct pinsight_ompt_thread *thread);
void pinsight_omp_record_ended(struct pinsight_ompt_thread *thread);

/* Like pinsight_omp_record_ended(), before the end of a region that the thread started. That end is
 * also the end of the thread's task in this region, if both are recorded. */
static inline void pinsight_omp_end_with_region(struct pinsight_ompt_thread *thread,
                                                const struct pinsight_ompt_region *region) {
    if (thread->ended.parallel_id == region->parallel_id && region->recorded &&
        pinsight_record_openmp_parallel_end_enabled())
        thread->ended.task_id = 0;
    else
        pinsight_omp_record_ended(thread);
}

/* Begins the only thread of a forked child, and its initial task. */
void pinsight_omp_begin_child(struct pinsight_ompt_thread *thread);

#endif
