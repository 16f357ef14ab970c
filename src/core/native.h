/*
 * What domains of native code (OpenMP, MPI) have in common: lexgions told by their addresses, what
 * MONITORING counts of them, what threads recorded and did not, definitions that a new session
 * needs, modes and configurations that come into force.
 *
 * A domain has one struct pinsight_native; and the state that it keeps for a thread (see thread.h)
 * begins with a struct pinsight_native_thread.
 */
#ifndef PINSIGHT_CORE_NATIVE_H
#define PINSIGHT_CORE_NATIVE_H

#include "core/domain.h"
#include "core/log.h"
#include "core/native_count.h"
#include "core/native_lexgion.h"
#include "core/pause.h"
#include "core/thread.h"

#include <pthread.h>

struct pinsight_native {
    struct pinsight_domain *domain;
    struct pinsight_native_table *table;
    /* Record the lexgion's definition, if somebody listens. Any thread. */
    void (*define)(const struct pinsight_native_lexgion *lexgion);
    /* Is the object of that path part of the runtime? NULL where that makes no difference. */
    bool (*is_inner)(const char *object);
    /* Record what there is to be known of the domain, once for each generation of the process. Any
     * thread. */
    void (*describe)(void);
    /* Bring the domain into line with the mode and the configuration in force. Under the lock. */
    void (*come_into_line)(void);

    bool lossless;        /* buffers block; constant after the start */
    pthread_mutex_t lock; /* serialises what brings the domain into line */
    /* Held by who writes counts, and by a thread that moves its own. Recursive: what writes may end
     * a thread's tracing. */
    pthread_mutex_t count_lock;
    /* What threads that ended lost and dropped, and what all recorded. Under the lock a thread that
     * ends is counted once, here or with the threads. */
    pthread_mutex_t totals_lock;
    _Atomic uint64_t ended_lost, ended_dropped, ended_outside, recorded_bytes;
    _Atomic bool size_limit_reached;
    _Atomic uint32_t described; /* generation */
    struct pinsight_log_once no_settings;
};
#define PINSIGHT_NATIVE_INIT                                                                       \
    .lock = PTHREAD_MUTEX_INITIALIZER, .count_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,       \
    .totals_lock = PTHREAD_MUTEX_INITIALIZER, .no_settings = PINSIGHT_LOG_ONCE_INIT

/* Of a thread. Only the thread itself touches it, but where it says otherwise. */
struct pinsight_native_thread {
    struct pinsight_thread *core;
    bool heard; /* somebody listened, when this was looked at last */
    struct pinsight_native_counts counts;
    /* Only the thread itself writes them, with pinsight_native_add; others may look. */
    _Atomic uint64_t bytes; /* recorded since the last account */
    _Atomic uint64_t lost_frames, dropped_ends, outside;
    struct pinsight_native_cache cache;
};

/* ---- start and end ---- */

/*
 * Read the configuration and make the domain known, with the mode that it has there. Returns 0; or
 * -1, and why was said.
 */
PINSIGHT_API int pinsight_native_register(struct pinsight_native *native);

/* The runtime is there: bring the domain into line, and start what runs beside the program. */
PINSIGHT_API void pinsight_native_start(struct pinsight_native *native);

/* The runtime ends: write what was counted, where the mode has it so. */
PINSIGHT_API void pinsight_native_ends(struct pinsight_native *native);

/* A thread has got its state in the domain: it is named, by `number` where it has no name, and what
 * a forked child has not got yet is started. */
PINSIGHT_API void pinsight_native_thread_met(struct pinsight_native *native,
                                             struct pinsight_native_thread *thread,
                                             uint32_t number);

/* A thread ends: its counts are written, and added to the process's. */
PINSIGHT_API void pinsight_native_thread_end(struct pinsight_native *native,
                                             struct pinsight_native_thread *thread);

/* In a forked child; for `fork_child` of the domain's descriptor. */
PINSIGHT_API void pinsight_native_fork_child(struct pinsight_native *native);

/* ---- modes; for the domain's descriptor ---- */

/* Bring the domain into the mode that it has now, from `from`. Returns -1 where it refuses. */
PINSIGHT_API int pinsight_native_apply_mode(struct pinsight_native *native,
                                            enum pinsight_mode from);
PINSIGHT_API void pinsight_native_settings_changed(struct pinsight_native *native);
PINSIGHT_API void pinsight_native_rotated(struct pinsight_native *native);

/* ---- what is in the trace about the domain ---- */

/* Record domain_info, unless it was at this generation, or nobody listens; is it recorded now?
 * `kinds`: of events that are on; `punit`: that the configuration selects. */
PINSIGHT_API bool pinsight_native_describe(struct pinsight_native *native, const char *runtime,
                                           const char *mechanism, uint64_t kinds, unsigned punit);

/* Whether somebody listens has changed for this thread: then the trace has none of the definitions,
 * perhaps. Slow path. */
PINSIGHT_API void pinsight_native_heard(struct pinsight_native *native,
                                        struct pinsight_native_thread *thread, bool heard);

/* Threads are to wait: the calling one does. What it counts did not run meanwhile. */
PINSIGHT_API void pinsight_native_wait(struct pinsight_native *native,
                                       struct pinsight_native_thread *thread);

/* ---- recording ---- */

#define PINSIGHT_NATIVE_ACCOUNT_BYTES 65536u

/* Add what the thread recorded to the process's account. Slow path. */
PINSIGHT_API void pinsight_native_account(struct pinsight_native *native,
                                          struct pinsight_native_thread *thread);

/* Around an event that may block: the watchdog sees an odd number inside. */
static inline void pinsight_native_progress(const struct pinsight_native *native,
                                            struct pinsight_native_thread *thread) {
    if (__builtin_expect(native->lossless, 0))
        atomic_store_explicit(&thread->core->progress,
                              atomic_load_explicit(&thread->core->progress, memory_order_relaxed) +
                                  1,
                              memory_order_relaxed);
}

/* An event of about so many bytes was recorded, after pinsight_native_progress. */
static inline void pinsight_native_recorded(struct pinsight_native *native,
                                            struct pinsight_native_thread *thread, uint32_t bytes) {
    pinsight_native_progress(native, thread);
    if (__builtin_expect(
            pinsight_native_add(&thread->bytes, bytes) >= PINSIGHT_NATIVE_ACCOUNT_BYTES, 0))
        pinsight_native_account(native, thread);
}

#endif
