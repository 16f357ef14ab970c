/*
 * Callbacks for worksharing, masked regions and reductions. OpenMP 5.1, 4.5.2.5 (work), 4.5.2.12
 * (masked), 4.5.2.13 (sync region, for reductions).
 *
 * GCC's programs call a function at the begin of a single construct (GOMP_single_start), but none
 * at its end. Therefore libomp does not report the end either. The construct ends when its thread
 * begins something that cannot be inside it in the same implicit task: worksharing, a masked region
 * or a barrier (OpenMP 5.1, 2.20, "Nesting of Regions").
 */
#include "tracer/openmp/domain.h"

static void work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                 ompt_data_t *task_data, uint64_t count, const void *codeptr) {
    (void)parallel_data;
    (void)task_data;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found, *open;
    if (!thread)
        return;
    if (endpoint & ompt_scope_begin) {
        struct pinsight_omp_context *here = pinsight_omp_here(thread);
        if (type != ompt_work_taskloop)
            pinsight_omp_leave_single(thread, here);
        open = pinsight_omp_begin(thread, PINSIGHT_OPENMP_KIND_WORK, type, codeptr);
        if (open) {
            open->count = count;
            here->single = here->single || type == ompt_work_single_executor;
            PINSIGHT_OMP_RECORD(thread, work_begin,
                                PINSIGHT_OMP_COMMON(thread, pinsight_omp_here(thread)), open->type,
                                count, open->codeptr);
        }
    }
    if ((endpoint & ompt_scope_end) &&
        pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_WORK, 0, &found)) {
        if (found.type == ompt_work_single_executor)
            pinsight_omp_here(thread)->single = false;
        pinsight_omp_end_open(thread, &found);
    }
}

void pinsight_omp_end_unreported_single(struct pinsight_ompt_thread *thread) {
    struct pinsight_omp_open found;
    pinsight_omp_here(thread)->single = false;
    if (pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_WORK, 0, &found))
        pinsight_omp_end_open(thread, &found);
}

/* Begins or ends a masked region or a reduction, which begin with the same fields. */
static inline __attribute__((always_inline)) void
scope(ompt_scope_endpoint_t endpoint, unsigned kind, unsigned type, const void *codeptr) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found, *open;
    if (!thread)
        return;
    if (endpoint & ompt_scope_begin) {
        bool is_masked = kind == PINSIGHT_OPENMP_KIND_MASKED;
        if (is_masked)
            pinsight_omp_leave_single(thread, pinsight_omp_here(thread));
        open = pinsight_omp_begin(thread, kind, type, codeptr);
        if (open && is_masked)
            PINSIGHT_OMP_RECORD(thread, masked_begin,
                                PINSIGHT_OMP_COMMON(thread, pinsight_omp_here(thread)),
                                open->codeptr);
        else if (open)
            PINSIGHT_OMP_RECORD(thread, reduction_begin,
                                PINSIGHT_OMP_COMMON(thread, pinsight_omp_here(thread)),
                                open->codeptr);
    }
    if ((endpoint & ompt_scope_end) && pinsight_omp_close(thread, kind, 0, &found))
        pinsight_omp_end_open(thread, &found);
}

static void masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                   ompt_data_t *task_data, const void *codeptr) {
    (void)parallel_data;
    (void)task_data;
    scope(endpoint, PINSIGHT_OPENMP_KIND_MASKED, 0, codeptr);
}

static void reduction(ompt_sync_region_t type, ompt_scope_endpoint_t endpoint,
                      ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr) {
    (void)parallel_data;
    (void)task_data;
    scope(endpoint, PINSIGHT_OPENMP_KIND_REDUCTION, type, codeptr);
}

void pinsight_omp_end_open(struct pinsight_ompt_thread *thread,
                           const struct pinsight_omp_open *open) {
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    switch (open->kind) {
    case PINSIGHT_OPENMP_KIND_WORK:
        PINSIGHT_OMP_RECORD(thread, work_end, PINSIGHT_OMP_COMMON(thread, here), open->type,
                            open->count, open->codeptr);
        break;
    case PINSIGHT_OPENMP_KIND_MASKED:
        PINSIGHT_OMP_RECORD(thread, masked_end, PINSIGHT_OMP_COMMON(thread, here), open->codeptr);
        break;
    case PINSIGHT_OPENMP_KIND_SYNC:
    case PINSIGHT_OPENMP_KIND_SYNC_WAIT:
    case PINSIGHT_OMP_BARRIER:
        pinsight_omp_end_sync(thread, open);
        break;
    case PINSIGHT_OPENMP_KIND_REDUCTION:
        PINSIGHT_OMP_RECORD(thread, reduction_end, PINSIGHT_OMP_COMMON(thread, here),
                            open->codeptr);
        break;
    case PINSIGHT_OPENMP_KIND_TARGET:
        pinsight_omp_end_target(thread, open);
        break;
    default:
        break;
    }
}

const ompt_callback_work_t pinsight_omp_on_work = work;
const ompt_callback_masked_t pinsight_omp_on_masked = masked;
const ompt_callback_sync_region_t pinsight_omp_on_reduction = reduction;
