/*
 * Functions of libc that the interpreter waits in, and the shim in front of them: a call from the
 * interpreter's text comes to a function of this domain, any other goes straight on.
 *
 * The shim exports one `struct pinsight_waits`, pinsight_preload_waits; without the shim it is not
 * there.
 */
#ifndef PINSIGHT_PYTHON_WAITS_H
#define PINSIGHT_PYTHON_WAITS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* X(name, of, parameters, arguments): `of` is the member of struct pinsight_waits that says whether
 * its calls are to come. */
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
    /* Callers in so many bytes from `text` on are the interpreter's. While that is 0, nobody is.
     * `text` and `here` are set once, before. */
    uintptr_t text;
    _Atomic uintptr_t waits; /* of functions that wait */
    /* Of those that end the waits of others, and of the end of what was waited for. */
    _Atomic uintptr_t signals, posts, destroys;
    _Atomic uintptr_t makes; /* of the begin of what is waited for */
    struct pinsight_waits_functions here;
    struct pinsight_waits_functions next; /* libc's; never NULL */
};

extern struct pinsight_waits pinsight_preload_waits __attribute__((weak));

/* Have the interpreter's waits come to this domain, or no more. Without the shim nothing. Holds the
 * GIL. */
void pinsight_waits_apply(bool wanted);

/* Have each thread that takes the main interpreter's GIL looked at before it runs, or no more (3.8
 * to 3.11). Without the shim nothing. Holds the GIL. */
void pinsight_waits_watch_new_threads(bool wanted);

/* Record, once for each session, that waits are not seen in this process, where that is so. Holds
 * the GIL. */
void pinsight_waits_describe(void);

/* The calling thread waited for the GIL: from now on the interpreter's signals come, too. Any
 * thread. */
static inline void pinsight_waits_want_signals(void) {
    uintptr_t size = atomic_load(&pinsight_preload_waits.waits);
    if (atomic_load_explicit(&pinsight_preload_waits.signals, memory_order_relaxed) != size)
        atomic_store(&pinsight_preload_waits.signals, size);
}

/* Some thread waits for a semaphore: its sem_post comes; or none does any more. Serialised by the
 * caller. Without the shim nothing. */
static inline void pinsight_waits_want_posts(bool wanted) {
    if (!&pinsight_preload_waits)
        return;
    uintptr_t size = wanted ? atomic_load(&pinsight_preload_waits.waits) : 0;
    atomic_store(&pinsight_preload_waits.posts, size);
    if (size)
        atomic_store(&pinsight_preload_waits.destroys, size);
}

#endif
