/* Wrappers of GCC's OpenMP for critical, atomic and ordered regions, and for locks. */
#include "tracer/openmp/gomp.h"

static const char critical_name, atomic_name,
    ordered_name; /* identities of mutexes without an address of their own */

static void wanted(ompt_mutex_t type, const void *mutex, const void *codeptr) {
    pinsight_omp_on_mutex_acquire(type, 0, 0, (uintptr_t)mutex, codeptr);
}

static void had(ompt_mutex_t type, const void *mutex, const void *codeptr) {
    if (pinsight_omp_thread_there())
        pinsight_omp_on_mutex_acquired(type, (uintptr_t)mutex, codeptr);
}

/* Called before the library releases the mutex. Otherwise the next owner's event could come first.
 */
static void let_go(ompt_mutex_t type, const void *mutex, const void *codeptr) {
    if (pinsight_omp_thread_there())
        pinsight_omp_on_mutex_released(type, (uintptr_t)mutex, codeptr);
}

#define ENTER(name, parameters, arguments, type, mutex)                                            \
    static void name parameters {                                                                  \
        PINSIGHT_GOMP_NEXT(name, NULL);                                                            \
        if (!pinsight_gomp_thread()) {                                                             \
            next arguments;                                                                        \
            return;                                                                                \
        }                                                                                          \
        wanted(type, mutex, codeptr);                                                              \
        next arguments;                                                                            \
        had(type, mutex, codeptr);                                                                 \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

#define LEAVE(name, parameters, arguments, type, mutex)                                            \
    static void name parameters {                                                                  \
        PINSIGHT_GOMP_NEXT(name, NULL);                                                            \
        let_go(type, mutex, codeptr);                                                              \
        next arguments;                                                                            \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

ENTER(GOMP_critical_start, (void), (), ompt_mutex_critical, &critical_name)
LEAVE(GOMP_critical_end, (void), (), ompt_mutex_critical, &critical_name)
ENTER(GOMP_critical_name_start, (void **name), (name), ompt_mutex_critical, name)
LEAVE(GOMP_critical_name_end, (void **name), (name), ompt_mutex_critical, name)
ENTER(GOMP_atomic_start, (void), (), ompt_mutex_atomic, &atomic_name)
LEAVE(GOMP_atomic_end, (void), (), ompt_mutex_atomic, &atomic_name)
ENTER(GOMP_ordered_start, (void), (), ompt_mutex_ordered, &ordered_name)
LEAVE(GOMP_ordered_end, (void), (), ompt_mutex_ordered, &ordered_name)

/* ---- locks ---- */

ENTER(omp_set_lock, (void *lock), (lock), ompt_mutex_lock, lock)
LEAVE(omp_unset_lock, (void *lock), (lock), ompt_mutex_lock, lock)

static int omp_test_lock(void *lock) {
    PINSIGHT_GOMP_NEXT(omp_test_lock, NULL);
    if (!pinsight_gomp_thread())
        return next(lock);
    wanted(ompt_mutex_test_lock, lock, codeptr);
    int got = next(lock);
    if (got)
        had(ompt_mutex_test_lock, lock, codeptr);
    return got;
}
PINSIGHT_GOMP_WRAPPER(omp_test_lock)

/* Returns the last open entry for a lock in the calling thread: MUTEX for the first acquisition,
 * NEST for a further one. Returns -1 if there is none. */
static int last_of(const struct pinsight_ompt_thread *thread, const void *lock) {
    for (uint32_t i = thread->open_count; i-- > 0;) {
        const struct pinsight_omp_open *open = &thread->opens[i];
        if (open->key == (uintptr_t)lock &&
            (open->kind == PINSIGHT_OPENMP_KIND_MUTEX || open->kind == PINSIGHT_OMP_NEST))
            return open->kind;
    }
    return -1;
}

static void had_nest(const struct pinsight_ompt_thread *thread, ompt_mutex_t type, const void *lock,
                     const void *codeptr) {
    if (last_of(thread, lock) < 0)
        had(type, lock, codeptr);
    else
        pinsight_omp_on_nest_lock(ompt_scope_begin, (uintptr_t)lock, codeptr);
}

static void omp_set_nest_lock(void *lock) {
    PINSIGHT_GOMP_NEXT(omp_set_nest_lock, NULL);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread)
        wanted(ompt_mutex_nest_lock, lock, codeptr);
    next(lock);
    if (thread)
        had_nest(thread, ompt_mutex_nest_lock, lock, codeptr);
}
PINSIGHT_GOMP_WRAPPER(omp_set_nest_lock)

static int omp_test_nest_lock(void *lock) {
    PINSIGHT_GOMP_NEXT(omp_test_nest_lock, NULL);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread)
        wanted(ompt_mutex_test_nest_lock, lock, codeptr);
    int got = next(lock);
    if (thread && got)
        had_nest(thread, ompt_mutex_test_nest_lock, lock, codeptr);
    return got;
}
PINSIGHT_GOMP_WRAPPER(omp_test_nest_lock)

static void omp_unset_nest_lock(void *lock) {
    PINSIGHT_GOMP_NEXT(omp_unset_nest_lock, NULL);
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (thread && last_of(thread, lock) == PINSIGHT_OMP_NEST)
        pinsight_omp_on_nest_lock(ompt_scope_end, (uintptr_t)lock, codeptr);
    else
        let_go(ompt_mutex_nest_lock, lock, codeptr);
    next(lock);
}
PINSIGHT_GOMP_WRAPPER(omp_unset_nest_lock)
