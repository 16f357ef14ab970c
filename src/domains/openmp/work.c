/*
 * Worksharing, masked regions, synchronisation and reductions. OpenMP 5.1, 4.5.2.5 (work), 4.5.2.12
 * (masked), 4.5.2.13 (sync region).
 */
#include "domains/openmp/domain.h"

/* Begin something that has an end; NULL where it is not to be recorded. */
static struct pinsight_omp_open *begin(struct pinsight_omp_thread *thread,
                                       enum pinsight_omp_kind kind, unsigned type,
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

static void work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                 ompt_data_t *task_data, uint64_t count, const void *codeptr) {
    (void)parallel_data;
    (void)task_data;
    struct pinsight_omp_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found, *open;
    if (!thread)
        return;
    if (endpoint & ompt_scope_begin) {
        open = begin(thread, PINSIGHT_OMP_WORK, type, codeptr);
        if (open) {
            open->count = count;
            PINSIGHT_OMP_RECORD(thread, work_begin,
                                PINSIGHT_OMP_COMMON(thread, pinsight_omp_here(thread)), open->type,
                                count, open->codeptr);
        }
    }
    if ((endpoint & ompt_scope_end) && pinsight_omp_close(thread, PINSIGHT_OMP_WORK, 0, &found))
        pinsight_omp_end_open(thread, &found);
}

static void masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                   ompt_data_t *task_data, const void *codeptr) {
    (void)parallel_data;
    (void)task_data;
    struct pinsight_omp_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found, *open;
    if (!thread)
        return;
    if (endpoint & ompt_scope_begin) {
        open = begin(thread, PINSIGHT_OMP_MASKED, 0, codeptr);
        if (open)
            PINSIGHT_OMP_RECORD(thread, masked_begin,
                                PINSIGHT_OMP_COMMON(thread, pinsight_omp_here(thread)),
                                open->codeptr);
    }
    if ((endpoint & ompt_scope_end) && pinsight_omp_close(thread, PINSIGHT_OMP_MASKED, 0, &found))
        pinsight_omp_end_open(thread, &found);
}

/* Records one of an event's four or two, for the kind of synchronisation that it is. */
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

static void sync_region(ompt_sync_region_t type, ompt_scope_endpoint_t endpoint,
                        ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr) {
    (void)parallel_data;
    (void)task_data;
    struct pinsight_omp_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found, *open;
    if (!thread)
        return;
    struct pinsight_omp_context *here = pinsight_omp_here(thread);
    if (endpoint & ompt_scope_begin) {
        if (here->counted.lexgion)
            here->arrived = pinsight_clock_ticks();
        open = begin(thread, PINSIGHT_OMP_SYNC, type, codeptr);
        if (open)
            SYNC(thread, here, open->type, open->codeptr, sync_begin);
    }
    if ((endpoint & ompt_scope_end) && pinsight_omp_close(thread, PINSIGHT_OMP_SYNC, 0, &found))
        pinsight_omp_end_open(thread, &found);
}

/* Does a worker wait for work in this? So it does in every wait that may be its last. */
static bool may_idle(const struct pinsight_omp_thread *thread, unsigned type) {
    return thread->type == ompt_thread_worker && type != ompt_sync_region_taskwait &&
           type != ompt_sync_region_taskgroup;
}

static void sync_region_wait(ompt_sync_region_t type, ompt_scope_endpoint_t endpoint,
                             ompt_data_t *parallel_data, ompt_data_t *task_data,
                             const void *codeptr) {
    (void)parallel_data;
    (void)task_data;
    struct pinsight_omp_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found, *open;
    if (!thread)
        return;
    if (endpoint & ompt_scope_begin) {
        open = begin(thread, PINSIGHT_OMP_SYNC_WAIT, type, codeptr);
        if (open)
            SYNC(thread, pinsight_omp_here(thread), open->type, open->codeptr, sync_wait_begin);
        if (may_idle(thread, type))
            atomic_store_explicit(&thread->native.core->idle, true, memory_order_relaxed);
    }
    if (endpoint & ompt_scope_end) {
        if (may_idle(thread, type))
            atomic_store_explicit(&thread->native.core->idle, false, memory_order_relaxed);
        if (pinsight_omp_close(thread, PINSIGHT_OMP_SYNC_WAIT, 0, &found))
            pinsight_omp_end_open(thread, &found);
    }
}

static void reduction(ompt_sync_region_t type, ompt_scope_endpoint_t endpoint,
                      ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr) {
    (void)parallel_data;
    (void)task_data;
    struct pinsight_omp_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found, *open;
    if (!thread)
        return;
    if (endpoint & ompt_scope_begin) {
        open = begin(thread, PINSIGHT_OMP_REDUCTION, type, codeptr);
        if (open)
            PINSIGHT_OMP_RECORD(thread, reduction_begin,
                                PINSIGHT_OMP_COMMON(thread, pinsight_omp_here(thread)),
                                open->codeptr);
    }
    if ((endpoint & ompt_scope_end) &&
        pinsight_omp_close(thread, PINSIGHT_OMP_REDUCTION, 0, &found))
        pinsight_omp_end_open(thread, &found);
}

void pinsight_omp_end_open(struct pinsight_omp_thread *thread,
                           const struct pinsight_omp_open *open) {
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    switch (open->kind) {
    case PINSIGHT_OMP_WORK:
        PINSIGHT_OMP_RECORD(thread, work_end, PINSIGHT_OMP_COMMON(thread, here), open->type,
                            open->count, open->codeptr);
        break;
    case PINSIGHT_OMP_MASKED:
        PINSIGHT_OMP_RECORD(thread, masked_end, PINSIGHT_OMP_COMMON(thread, here), open->codeptr);
        break;
    case PINSIGHT_OMP_SYNC:
        SYNC(thread, here, open->type, open->codeptr, sync_end);
        break;
    case PINSIGHT_OMP_SYNC_WAIT:
        SYNC(thread, here, open->type, open->codeptr, sync_wait_end);
        break;
    case PINSIGHT_OMP_REDUCTION:
        PINSIGHT_OMP_RECORD(thread, reduction_end, PINSIGHT_OMP_COMMON(thread, here),
                            open->codeptr);
        break;
    case PINSIGHT_OMP_TARGET:
        pinsight_omp_end_target(thread, open);
        break;
    default:
        break;
    }
}

const ompt_callback_work_t pinsight_omp_on_work = work;
const ompt_callback_masked_t pinsight_omp_on_masked = masked;
const ompt_callback_sync_region_t pinsight_omp_on_sync_region = sync_region;
const ompt_callback_sync_region_t pinsight_omp_on_sync_region_wait = sync_region_wait;
const ompt_callback_sync_region_t pinsight_omp_on_reduction = reduction;
