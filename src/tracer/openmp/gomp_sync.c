/* Wrappers of GCC's OpenMP for barriers, taskwait, taskgroup and cancellation. */
#include "tracer/openmp/gomp.h"

void pinsight_gomp_sync_begin(struct pinsight_ompt_thread *thread, ompt_sync_region_t type,
                              const void *codeptr) {
    ompt_data_t task = pinsight_gomp_task(thread);
    pinsight_omp_on_sync_region(type, ompt_scope_begin, &task, &task, codeptr);
    pinsight_omp_on_sync_region_wait(type, ompt_scope_begin, &task, &task, codeptr);
}

/* The data of the region is not NULL, because this is not the barrier at the region's end (sync.c).
 */
void pinsight_gomp_sync_end(ompt_sync_region_t type, const void *codeptr) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (!thread)
        return;
    ompt_data_t task = pinsight_gomp_task(thread);
    pinsight_omp_on_sync_region_wait(type, ompt_scope_end, &task, &task, codeptr);
    pinsight_omp_on_sync_region(type, ompt_scope_end, &task, &task, codeptr);
}

#define WAIT(name, type)                                                                           \
    static void name(void) {                                                                       \
        PINSIGHT_GOMP_NEXT(name, NULL);                                                            \
        struct pinsight_ompt_thread *thread = pinsight_gomp_thread();                              \
        if (!thread) {                                                                             \
            next();                                                                                \
            return;                                                                                \
        }                                                                                          \
        pinsight_gomp_sync_begin(thread, type, codeptr);                                           \
        next();                                                                                    \
        pinsight_gomp_sync_end(type, codeptr);                                                     \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

/* The compiler calls this function for explicit barriers and for implicit ones. */
WAIT(GOMP_barrier, ompt_sync_region_barrier_implicit)
WAIT(GOMP_taskwait, ompt_sync_region_taskwait)

static bool GOMP_barrier_cancel(void) {
    PINSIGHT_GOMP_NEXT(GOMP_barrier_cancel, NULL);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (!thread)
        return next();
    pinsight_gomp_sync_begin(thread, ompt_sync_region_barrier_implicit, codeptr);
    bool cancelled = next();
    pinsight_gomp_sync_end(ompt_sync_region_barrier_implicit, codeptr);
    return cancelled;
}
PINSIGHT_GOMP_WRAPPER(GOMP_barrier_cancel)

/* The call contains a barrier, unless the construct was cancelled. */
static void GOMP_workshare_task_reduction_unregister(bool cancelled) {
    PINSIGHT_GOMP_NEXT(GOMP_workshare_task_reduction_unregister, NULL);
    struct pinsight_ompt_thread *thread = cancelled ? NULL : pinsight_gomp_thread();
    if (thread)
        pinsight_gomp_sync_begin(thread, ompt_sync_region_barrier_implicit_workshare, codeptr);
    next(cancelled);
    if (thread)
        pinsight_gomp_sync_end(ompt_sync_region_barrier_implicit_workshare, codeptr);
}
PINSIGHT_GOMP_WRAPPER(GOMP_workshare_task_reduction_unregister)

static void GOMP_taskgroup_start(void) {
    PINSIGHT_GOMP_NEXT(GOMP_taskgroup_start, NULL);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread) {
        ompt_data_t task = pinsight_gomp_task(thread);
        pinsight_omp_on_sync_region(ompt_sync_region_taskgroup, ompt_scope_begin, &task, &task,
                                    codeptr);
    }
    next();
}
PINSIGHT_GOMP_WRAPPER(GOMP_taskgroup_start)

static void GOMP_taskgroup_end(void) {
    PINSIGHT_GOMP_NEXT(GOMP_taskgroup_end, NULL);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread) {
        ompt_data_t task = pinsight_gomp_task(thread);
        pinsight_omp_on_sync_region_wait(ompt_sync_region_taskgroup, ompt_scope_begin, &task, &task,
                                         codeptr);
    }
    next();
    pinsight_gomp_sync_end(ompt_sync_region_taskgroup, codeptr);
}
PINSIGHT_GOMP_WRAPPER(GOMP_taskgroup_end)

/* ---- cancellation; `which` is a bit of libgomp's enum gomp_cancel_kind ---- */

static void report_cancel(int which, int state, const void *codeptr) {
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (!thread)
        return;
    ompt_data_t task = pinsight_gomp_task(thread);
    int construct = which & 1   ? ompt_cancel_parallel
                    : which & 2 ? ompt_cancel_loop
                    : which & 4 ? ompt_cancel_sections
                                : ompt_cancel_taskgroup;
    pinsight_omp_on_cancel(&task, construct | state, codeptr);
}

static bool GOMP_cancel(int which, bool cancels) {
    PINSIGHT_GOMP_NEXT(GOMP_cancel, NULL);
    bool cancelled = next(which, cancels);
    if (cancelled)
        report_cancel(which, cancels ? ompt_cancel_activated : ompt_cancel_detected, codeptr);
    return cancelled;
}
PINSIGHT_GOMP_WRAPPER(GOMP_cancel)

static bool GOMP_cancellation_point(int which) {
    PINSIGHT_GOMP_NEXT(GOMP_cancellation_point, NULL);
    bool cancelled = next(which);
    if (cancelled)
        report_cancel(which, ompt_cancel_detected, codeptr);
    return cancelled;
}
PINSIGHT_GOMP_WRAPPER(GOMP_cancellation_point)
