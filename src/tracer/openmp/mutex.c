/*
 * Callbacks for locks, critical, atomic and ordered regions, and flushes. OpenMP 5.1, 4.5.2.14
 * (mutex acquire), 4.5.2.15 (acquired and released), 4.5.2.16 (nest lock), 4.5.2.17 (flush). A
 * release is recorded only if the acquisition was.
 */
#include "tracer/openmp/domain.h"

/* Records an acquisition's begin or end, or a release, with the event for the kind of mutex. */
#define MUTEX(thread, type, wait_id, codeptr, what)                                                \
    do {                                                                                           \
        const struct pinsight_omp_context *here = pinsight_omp_here(thread);                       \
        if ((type) <= ompt_mutex_test_nest_lock)                                                   \
            PINSIGHT_OMP_RECORD(thread, lock_##what, PINSIGHT_OMP_COMMON(thread, here),            \
                                (uint8_t)(type), wait_id, codeptr);                                \
        else if ((type) == ompt_mutex_critical)                                                    \
            PINSIGHT_OMP_RECORD(thread, critical_##what, PINSIGHT_OMP_COMMON(thread, here),        \
                                (uint8_t)(type), wait_id, codeptr);                                \
        else                                                                                       \
            PINSIGHT_OMP_RECORD(thread, mutex_##what, PINSIGHT_OMP_COMMON(thread, here),           \
                                (uint8_t)(type), wait_id, codeptr);                                \
    } while (0)

static void mutex_acquire(ompt_mutex_t type, unsigned hint, unsigned implementation,
                          ompt_wait_id_t wait_id, const void *codeptr) {
    (void)hint;
    (void)implementation;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread)
        return;
    thread->wants_mutex = pinsight_omp_wanted(thread, PINSIGHT_OPENMP_KIND_MUTEX);
    if (!thread->wants_mutex)
        return;
    thread->wanted_mutex = wait_id;
    uint64_t code = pinsight_omp_code(thread, codeptr);
    MUTEX(thread, type, wait_id, code, acquire);
}

static void mutex_acquired(ompt_mutex_t type, ompt_wait_id_t wait_id, const void *codeptr) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread || !thread->wants_mutex || thread->wanted_mutex != wait_id)
        return;
    thread->wants_mutex = false;
    struct pinsight_omp_open *open = pinsight_omp_open(thread);
    if (!open)
        return;
    *open = (struct pinsight_omp_open){
        .kind = PINSIGHT_OPENMP_KIND_MUTEX, .type = (uint8_t)type, .key = wait_id};
    uint64_t code = pinsight_omp_code(thread, codeptr);
    MUTEX(thread, type, wait_id, code, acquired);
}

/* Records the kind of the acquisition. For a lock that was acquired by a test, libomp 19 reports
 * another kind at the release. */
static void mutex_released(ompt_mutex_t type, ompt_wait_id_t wait_id, const void *codeptr) {
    (void)type;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found;
    if (!thread || !pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_MUTEX, wait_id, &found))
        return;
    uint64_t code = pinsight_omp_code(thread, codeptr);
    MUTEX(thread, found.type, wait_id, code, released);
}

/* Records that a thread acquires a nest lock once more that it owns, or releases it but for the
 * last time. */
static void nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open found;
    if (!thread)
        return;
    const struct pinsight_omp_context *here = pinsight_omp_here(thread);
    if (endpoint & ompt_scope_begin) {
        struct pinsight_omp_open *open = pinsight_omp_wanted(thread, PINSIGHT_OPENMP_KIND_MUTEX)
                                             ? pinsight_omp_open(thread)
                                             : NULL;
        if (!open)
            return;
        *open = (struct pinsight_omp_open){.kind = PINSIGHT_OMP_NEST, .key = wait_id};
        uint64_t code = pinsight_omp_code(thread, codeptr);
        PINSIGHT_OMP_RECORD(thread, lock_nest_begin, PINSIGHT_OMP_COMMON(thread, here), wait_id,
                            code);
    }
    if ((endpoint & ompt_scope_end) &&
        pinsight_omp_close(thread, PINSIGHT_OMP_NEST, wait_id, &found)) {
        uint64_t code = pinsight_omp_code(thread, codeptr);
        PINSIGHT_OMP_RECORD(thread, lock_nest_end, PINSIGHT_OMP_COMMON(thread, here), wait_id,
                            code);
    }
}

static void flush(ompt_data_t *data, const void *codeptr) {
    (void)data;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread || !pinsight_omp_wanted(thread, PINSIGHT_OPENMP_KIND_FLUSH))
        return;
    uint64_t code = pinsight_omp_code(thread, codeptr);
    PINSIGHT_OMP_RECORD(thread, flush, PINSIGHT_OMP_COMMON(thread, pinsight_omp_here(thread)),
                        code);
}

const ompt_callback_mutex_acquire_t pinsight_omp_on_mutex_acquire = mutex_acquire;
const ompt_callback_mutex_t pinsight_omp_on_mutex_acquired = mutex_acquired;
const ompt_callback_mutex_t pinsight_omp_on_mutex_released = mutex_released;
const ompt_callback_nest_lock_t pinsight_omp_on_nest_lock = nest_lock;
const ompt_callback_flush_t pinsight_omp_on_flush = flush;
