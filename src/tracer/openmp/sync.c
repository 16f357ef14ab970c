/*
 * Callbacks for barriers, taskwaits and taskgroups, and for the waits in them. OpenMP 5.1,
 * 4.5.2.13.
 *
 * For an implicit barrier, the runtime calls two pairs of callbacks, each pair at one moment: the
 * thread arrives and begins to wait; it stops waiting and leaves. Then the implicit task ends. For
 * a worker, this happens when the next region needs it, and the next task begins at once.
 *
 * The first thread of a team waits meanwhile for the others, so these events delay the whole
 * region. Therefore workers record one event for the arrival, and one event for everything up to
 * the begin of the next task. Threads of GCC's OpenMP do the same, also the first thread of a team:
 * its wrappers report each group at one moment.
 */
#include "tracer/openmp/domain.h"

/* Records the event `what` for a kind of synchronisation. */
#define SYNC(thread, context, type, codeptr, what)                                                 \
    do {                                                                                           \
        switch (type) {                                                                            \
        case ompt_sync_region_barrier_explicit:                                                    \
            PINSIGHT_OMP_RECORD(thread, barrier_explicit_##what,                                   \
                                PINSIGHT_OMP_COMMON(thread, context), codeptr);                    \
            break;                                                                                 \
        case ompt_sync_region_taskwait:                                                            \
            PINSIGHT_OMP_RECORD(thread, taskwait_##what, PINSIGHT_OMP_COMMON(thread, context),     \
                                codeptr);                                                          \
            break;                                                                                 \
        case ompt_sync_region_taskgroup:                                                           \
            PINSIGHT_OMP_RECORD(thread, taskgroup_##what, PINSIGHT_OMP_COMMON(thread, context),    \
                                codeptr);                                                          \
            break;                                                                                 \
        default:                                                                                   \
            PINSIGHT_OMP_RECORD(thread, barrier_implicit_##what,                                   \
                                PINSIGHT_OMP_COMMON(thread, context), type);                       \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

/* ---- barriers in one ---- */

static inline bool is_implicit(unsigned type) {
    return type != ompt_sync_region_barrier_explicit && type != ompt_sync_region_taskwait &&
           type != ompt_sync_region_taskgroup;
}

/* Returns whether the arrival and the wait at a barrier are recorded as one event. For the first
 * thread of a team, OMPT reports them one by one, and they are recorded in the same way. They are
 * also recorded separately if a session listens to only some of the events. */
static inline bool is_in_one(const struct pinsight_ompt_thread *thread,
                             const struct pinsight_omp_context *here, unsigned type) {
    return (here->thread_num != 0 || thread->gomp.is_reported) && is_implicit(type) &&
           pinsight_omp_kind_is_on(PINSIGHT_OPENMP_KIND_SYNC) &&
           pinsight_omp_kind_is_on(PINSIGHT_OPENMP_KIND_SYNC_WAIT) &&
           pinsight_record_openmp_barrier_implicit_begin_enabled() &&
           pinsight_record_openmp_barrier_implicit_end_enabled() &&
           pinsight_record_openmp_implicit_task_next_enabled();
}

/* Called when the thread leaves a barrier whose arrival and wait are one event. At the end of a
 * region, the next event is the end of the task, which includes it. The runtime does not name the
 * region at that point. */
static void leave_barrier(struct pinsight_ompt_thread *thread, bool is_last) {
    struct pinsight_omp_open found;
    if (is_last && pinsight_omp_here(thread)->recorded) {
        __builtin_prefetch(thread->last_region); /* the next region is likely to be the same */
        return;
    }
    if (pinsight_omp_close(thread, PINSIGHT_OMP_BARRIER, 0, &found))
        pinsight_omp_end_sync(thread, &found);
}

/* Returns whether an end belongs to the thread's current barrier, whose arrival and wait are one
 * event. */
static bool is_of_barrier(const struct pinsight_ompt_thread *thread,
                          const struct pinsight_omp_context *here, unsigned type) {
    return thread->open_count != here->opens &&
           thread->opens[thread->open_count - 1].kind == PINSIGHT_OMP_BARRIER && is_implicit(type);
}

static inline void note_ended(struct pinsight_ompt_thread *thread,
                              const struct pinsight_omp_context *here, unsigned type) {
    thread->ended = (struct pinsight_omp_ended){.parallel_id = here->parallel_id,
                                                .codeptr = here->codeptr,
                                                .task_id = here->task_id,
                                                .team = here->team,
                                                .thread_num = here->thread_num,
                                                .sync_kind = (uint8_t)type};
}

bool pinsight_omp_end_in_barrier(struct pinsight_ompt_thread *thread) {
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    struct pinsight_omp_open found;
    if (!here->recorded || !pinsight_omp_close(thread, PINSIGHT_OMP_BARRIER, 0, &found))
        return false;
    if (thread->open_count != here->opens) { /* ends of lost constructs must come between the two */
        pinsight_omp_end_sync(thread, &found);
        return false;
    }
    note_ended(thread, here, found.type);
    return true;
}

static __attribute__((noinline)) void record_ended(struct pinsight_ompt_thread *thread) {
    struct pinsight_omp_ended ended = thread->ended;
    thread->ended.task_id = 0;
    PINSIGHT_OMP_RECORD(thread, barrier_implicit_end,
                        PINSIGHT_OMP_COMMON_OF(thread, &ended, ended.task_id), ended.sync_kind,
                        true);
}

void pinsight_omp_record_ended(struct pinsight_ompt_thread *thread) {
    if (thread->ended.task_id)
        record_ended(thread);
}

/* ---- the callbacks ---- */

static void begin_sync(struct pinsight_ompt_thread *thread, struct pinsight_omp_context *here,
                       unsigned type, const void *codeptr) {
    struct pinsight_omp_open *open;
    if (here->counted.node)
        here->arrived = pinsight_clock_ticks();
    if (type != ompt_sync_region_taskwait && type != ompt_sync_region_taskgroup)
        pinsight_omp_leave_single(thread, here);
    here->at = is_in_one(thread, here, type) ? (uint8_t)type : 0;
    open = here->at ? NULL : pinsight_omp_begin(thread, PINSIGHT_OPENMP_KIND_SYNC, type, codeptr);
    if (open)
        SYNC(thread, here, open->type, open->codeptr, sync_begin);
}

/* Ends a barrier, taskwait or taskgroup. `is_last` means that it may be the end of the region. */
static void end_sync(struct pinsight_ompt_thread *thread, unsigned type, bool is_last) {
    struct pinsight_omp_open found;
    if (is_of_barrier(thread, pinsight_omp_here(thread), type))
        leave_barrier(thread, is_last);
    else if (pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_SYNC, 0, &found))
        pinsight_omp_end_sync(thread, &found);
}

static void sync_region(ompt_sync_region_t type, ompt_scope_endpoint_t endpoint,
                        ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr) {
    (void)task_data;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread)
        return;
    if (endpoint & ompt_scope_begin)
        begin_sync(thread, pinsight_omp_here(thread), type, codeptr);
    if (endpoint & ompt_scope_end)
        end_sync(thread, type, !parallel_data);
}

/* Returns whether a worker may be idle in this wait. Any barrier may be the worker's last one. */
static bool may_idle(const struct pinsight_ompt_thread *thread, unsigned type) {
    return thread->type == ompt_thread_worker && type != ompt_sync_region_taskwait &&
           type != ompt_sync_region_taskgroup;
}

static inline void set_idle(struct pinsight_ompt_thread *thread, unsigned type, bool idle) {
    if (may_idle(thread, type))
        atomic_store_explicit(&thread->native.engine.core->idle, idle, memory_order_relaxed);
}

static void begin_wait(struct pinsight_ompt_thread *thread, struct pinsight_omp_context *here,
                       unsigned type, const void *codeptr) {
    struct pinsight_omp_open *open;
    if (here->at == type) {
        open = pinsight_omp_begin(thread, PINSIGHT_OPENMP_KIND_SYNC, type, codeptr);
        if (open) {
            open->kind = PINSIGHT_OMP_BARRIER;
            PINSIGHT_OMP_RECORD(thread, barrier_implicit_begin, PINSIGHT_OMP_COMMON(thread, here),
                                (uint8_t)type);
        }
    } else {
        open = pinsight_omp_begin(thread, PINSIGHT_OPENMP_KIND_SYNC_WAIT, type, codeptr);
        if (open)
            SYNC(thread, here, open->type, open->codeptr, sync_wait_begin);
    }
    here->at = 0;
    set_idle(thread, type, true);
}

static void end_wait(struct pinsight_ompt_thread *thread, unsigned type) {
    struct pinsight_omp_open found;
    set_idle(thread, type, false);
    if (!is_of_barrier(thread, pinsight_omp_here(thread), type) &&
        pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_SYNC_WAIT, 0, &found))
        pinsight_omp_end_sync(thread, &found);
}

static void sync_region_wait(ompt_sync_region_t type, ompt_scope_endpoint_t endpoint,
                             ompt_data_t *parallel_data, ompt_data_t *task_data,
                             const void *codeptr) {
    (void)parallel_data;
    (void)task_data;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread)
        return;
    if (endpoint & ompt_scope_begin)
        begin_wait(thread, pinsight_omp_here(thread), type, codeptr);
    if (endpoint & ompt_scope_end)
        end_wait(thread, type);
}

/* ---- the barrier at the end of a region, at once ---- */

enum { LAST = ompt_sync_region_barrier_implicit_parallel };

void pinsight_omp_arrives(struct pinsight_ompt_thread *thread) {
    struct pinsight_omp_context *here = pinsight_omp_here(thread);
    bool is_plain = !here->counted.node && !here->single && pinsight_omp_tracing(thread, true) &&
                    pinsight_omp_lives(here) && is_in_one(thread, here, LAST);
    struct pinsight_omp_open *open = is_plain ? pinsight_omp_open(thread) : NULL;
    if (__builtin_expect(open != NULL, 1)) {
        *open = (struct pinsight_omp_open){.kind = PINSIGHT_OMP_BARRIER, .type = LAST};
        PINSIGHT_OMP_RECORD_LISTENED(thread, barrier_implicit_begin,
                                     PINSIGHT_OMP_COMMON(thread, here), LAST);
        set_idle(thread, LAST, true);
        return;
    }
    begin_sync(thread, here, LAST, NULL);
    begin_wait(thread, here, LAST, NULL);
}

/* Returns whether the thread does nothing in its part but wait in the barrier at the end. */
static inline bool only_waits(const struct pinsight_ompt_thread *thread,
                              const struct pinsight_omp_context *here, uint64_t task) {
    return here->task_id == task >> 2 && here->recorded && !here->counted.node &&
           thread->open_count == here->opens + 1 &&
           thread->opens[here->opens].kind == PINSIGHT_OMP_BARRIER;
}

void pinsight_omp_leaves(struct pinsight_ompt_thread *thread, uint64_t task) {
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    const ompt_data_t data = {.value = task};
    if (__builtin_expect(only_waits(thread, here, task), 1)) {
        set_idle(thread, LAST, false);
        thread->open_count--;
        note_ended(thread, here, LAST);
        pinsight_omp_pop(thread);
        return;
    }
    end_wait(thread, LAST);
    end_sync(thread, LAST, true);
    pinsight_omp_task_ends(thread, &data);
}

uint64_t pinsight_omp_leaves_for_next(struct pinsight_ompt_thread *thread, uint64_t task,
                                      const void *handle, uint32_t size, uint32_t index) {
    struct pinsight_omp_context *here = pinsight_omp_here(thread);
    const struct pinsight_ompt_region *region = pinsight_omp_region_of(handle);
    if (!only_waits(thread, here, task) || !region->live || region->counts ||
        region->process != (uint32_t)pinsight_process.pid || !pinsight_omp_tracing(thread, false) ||
        !pinsight_omp_kind_is_on(PINSIGHT_OPENMP_KIND_IMPLICIT_TASK) ||
        !pinsight_omp_in_range(PINSIGHT_OPENMP_PUNIT_THREAD, index) ||
        !pinsight_omp_in_range(PINSIGHT_OPENMP_PUNIT_TEAM, region->team) ||
        !pinsight_record_openmp_implicit_task_next_enabled())
        return 0;
    set_idle(thread, LAST, false);
    thread->open_count--;
    /* The rest of the context is the same in both parts. */
    here->parallel_id = pinsight_omp_number_of(handle);
    here->codeptr = region->codeptr;
    here->team = region->team;
    here->thread_num = index;
    here->task_id = thread->task = pinsight_omp_new_id(thread);
    PINSIGHT_OMP_RECORD_LISTENED(thread, implicit_task_next, PINSIGHT_OMP_COMMON(thread, here),
                                 size, ompt_task_implicit);
    return here->task_id << 2 | PINSIGHT_OMP_TASK_RECORDED;
}

bool pinsight_omp_leaves_with_region(struct pinsight_ompt_thread *thread, uint64_t task,
                                     const struct pinsight_ompt_region *region) {
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    if (!only_waits(thread, here, task) || here->parallel_id != region->parallel_id ||
        !region->recorded || !pinsight_record_openmp_parallel_end_enabled())
        return false;
    set_idle(thread, LAST, false);
    thread->open_count--;
    pinsight_omp_pop(thread);
    return true;
}

void pinsight_omp_end_sync(struct pinsight_ompt_thread *thread,
                           const struct pinsight_omp_open *open) {
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    if (open->kind == PINSIGHT_OPENMP_KIND_SYNC)
        SYNC(thread, here, open->type, open->codeptr, sync_end);
    else if (open->kind == PINSIGHT_OPENMP_KIND_SYNC_WAIT)
        SYNC(thread, here, open->type, open->codeptr, sync_wait_end);
    else
        PINSIGHT_OMP_RECORD(thread, barrier_implicit_end, PINSIGHT_OMP_COMMON(thread, here),
                            open->type, false);
}

const ompt_callback_sync_region_t pinsight_omp_on_sync_region = sync_region;
const ompt_callback_sync_region_t pinsight_omp_on_sync_region_wait = sync_region_wait;
