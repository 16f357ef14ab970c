/*
 * Functions of libc in which the interpreter waits, and the shim in front of them. A call from the
 * interpreter's text goes to a function of this domain. Any other call goes on directly.
 *
 * The shim exports one `struct pinsight_waits`, pinsight_preload_waits, which is missing without
 * the shim.
 */
#ifndef PINSIGHT_PYTHON_WAITS_H
#define PINSIGHT_PYTHON_WAITS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* X(name, of, parameters, arguments). `of` is the member of struct pinsight_waits that enables its
 * calls. */
#define PINSIGHT_WAITS(X)                                                                          \
    X(pthread_cond_wait, waits, (pthread_cond_t * cond, pthread_mutex_t * mutex), (cond, mutex))   \
    X(pthread_cond_timedwait, waits,                                                               \
      (pthread_cond_t * cond, pthread_mutex_t * mutex, const struct timespec *until),              \
      (cond, mutex, until))                                                                        \
    X(pthread_cond_signal, signals, (pthread_cond_t * cond), (cond))                               \
    X(sem_wait, waits, (sem_t * lock), (lock))                                                     \
    X(sem_timedwait, waits, (sem_t * lock, const struct timespec *until), (lock, until))           \
    X(sem_clockwait, waits, (sem_t * lock, clockid_t clock, const struct timespec *until),         \
      (lock, clock, until))                                                                        \
    X(sem_post, posts, (sem_t * lock), (lock))                                                     \
    X(sem_init, makes, (sem_t * lock, int shared, unsigned value), (lock, shared, value))          \
    X(sem_destroy, destroys, (sem_t * lock), (lock))

#define PINSIGHT_WAITS_MEMBER(name, of, parameters, arguments) int(*name) parameters;
struct pinsight_waits_functions {
    PINSIGHT_WAITS(PINSIGHT_WAITS_MEMBER)
};
#undef PINSIGHT_WAITS_MEMBER

struct pinsight_waits {
    /* Callers within so many bytes from `text` on are the interpreter's. The values below are these
     * sizes; 0 disables all calls. `text` and `here` are set once, before. */
    uintptr_t text;
    _Atomic uintptr_t waits; /* for functions that wait */
    /* For functions that end other threads' waits, and for the end of semaphores. */
    _Atomic uintptr_t signals, posts, destroys;
    _Atomic uintptr_t makes; /* for the begin of semaphores */
    struct pinsight_waits_functions here;
    struct pinsight_waits_functions next; /* libc's functions; never NULL */
};

extern struct pinsight_waits pinsight_preload_waits __attribute__((weak));

/* Begins or ends the redirection of the interpreter's waits to this domain. Does nothing without
 * the shim. Holds the GIL. */
void pinsight_waits_apply(bool wanted);

/* Begins or ends the watch for threads that take the main interpreter's GIL (3.8 to 3.11). Each
 * thread is checked before it runs. Does nothing without the shim. Holds the GIL. */
void pinsight_waits_watch_new_threads(bool wanted);

/* Records once for each session that waits are not observed in this process, if that is so. Holds
 * the GIL. */
void pinsight_waits_describe(void);

/* Enables the interpreter's signals of condition variables, because the calling thread has waited
 * for the GIL. Any thread. */
static inline void pinsight_waits_want_signals(void) {
    uintptr_t size = atomic_load(&pinsight_preload_waits.waits);
    if (atomic_load_explicit(&pinsight_preload_waits.signals, memory_order_relaxed) != size)
        atomic_store(&pinsight_preload_waits.signals, size);
}

/* Enables sem_post while some thread waits for a semaphore, and disables it afterwards. Calls must
 * not overlap. Does nothing without the shim. */
static inline void pinsight_waits_want_posts(bool wanted) {
    if (!&pinsight_preload_waits)
        return;
    uintptr_t size = wanted ? atomic_load(&pinsight_preload_waits.waits) : 0;
    atomic_store(&pinsight_preload_waits.posts, size);
    if (size)
        atomic_store(&pinsight_preload_waits.destroys, size);
}

#endif
