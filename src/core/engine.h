/*
 * The engine of a domain: what all domains do with lexgions in the same way. It decides what is
 * recorded (lexgion.h), counts for MONITORING (count.h), keeps the account of what was recorded and
 * what was not, and holds what the domain has taken over of the configuration.
 *
 * A domain has one struct pinsight_engine, and says in it who owns a lexgion and how one is freed.
 * The state that it keeps for a thread (thread.h) begins with a struct pinsight_engine_thread. What
 * domains of native code share beside this is in native.h.
 */
#ifndef PINSIGHT_CORE_ENGINE_H
#define PINSIGHT_CORE_ENGINE_H

#include "core/count.h"
#include "core/info.h"
#include "core/lexgion.h"
#include "core/thread.h"

#include <pthread.h>

/* Which lexgion has which slot for its counts. Under the engine's count lock. */
struct pinsight_slots {
    struct pinsight_lexgion **at; /* NULL where a slot is free */
    uint32_t *free;               /* the free ones; in the same memory */
    uint32_t count, room, free_count;
    uint32_t dead; /* lexgions that wait for their counts to be written */
};

struct pinsight_engine {
    struct pinsight_domain *domain;

    /* ---- constant; said by the domain ---- */

    bool shared; /* threads execute its lexgions at the same time, with no lock around them */
    /* Who owns the lexgion: fills in its names, which live as long as it does. */
    void (*owner)(const struct pinsight_lexgion *lexgion, struct pinsight_window_owner *owner);
    /* Free a dead lexgion. NULL where lexgions stay for good. */
    void (*free)(struct pinsight_lexgion *lexgion);
    /* Does the configuration in force want it, whatever its window? NULL where all are wanted. */
    bool (*wanted)(struct pinsight_lexgion *lexgion);
    /* Record its definition, if somebody listens. */
    void (*define)(const struct pinsight_lexgion *lexgion);

    /* ---- taken over from the configuration by the domain ---- */

    _Atomic uint64_t kinds;          /* of events that are on; bit n is kind n */
    _Atomic uint32_t config_version; /* of the configuration that was taken over; 0 none */
    bool lossless;                   /* buffers block; constant after the start */

    /* ---- the engine's own ---- */

    pthread_mutex_t resolve_lock;
    /* Held by who writes counts, and by a thread that moves its own. Recursive: what writes may end
     * a thread's tracing. */
    pthread_mutex_t count_lock;
    struct pinsight_slots slots;
    /* What threads that ended lost and dropped, and what all recorded. Under the lock a thread that
     * ends is counted once, here or with the threads. */
    pthread_mutex_t totals_lock;
    struct pinsight_totals ended;
    _Atomic uint64_t recorded_bytes;
    _Atomic bool size_limit_reached;
};
#define PINSIGHT_ENGINE_INIT                                                                       \
    .resolve_lock = PTHREAD_MUTEX_INITIALIZER, .totals_lock = PTHREAD_MUTEX_INITIALIZER,           \
    .count_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP

/* Of a thread. The thread itself writes it, with pinsight_add; others may look. */
struct pinsight_engine_thread {
    struct pinsight_core_thread *core;
    uint64_t bytes;                                         /* recorded since the last account */
    uint64_t lost_frames, under_way, dropped_ends, outside; /* as in struct pinsight_totals */
    struct pinsight_thread_counts counts;
};

/* A kind of event is on; for a hot path. */
static inline bool pinsight_kind_is_on(const struct pinsight_engine *engine, unsigned kind) {
    return atomic_load_explicit(&engine->kinds, memory_order_relaxed) >> kind & 1;
}

/* ---- recording ---- */

/* So many bytes of trace a thread records before it adds them to the process's account. */
#define PINSIGHT_ACCOUNT_BYTES 65536u

/* Around an event that may block: the watchdog sees an odd number inside. */
PINSIGHT_ALWAYS_INLINE void pinsight_progress(const struct pinsight_engine *engine,
                                              struct pinsight_engine_thread *thread) {
    if (PINSIGHT_UNLIKELY(engine->lossless))
        atomic_store_explicit(&thread->core->progress,
                              atomic_load_explicit(&thread->core->progress, memory_order_relaxed) +
                                  1,
                              memory_order_relaxed);
}

/* Add what the thread recorded to the process's account. True once: the trace has just become as
 * large as it may be, and the domain is to go on in MONITORING. Slow path. */
PINSIGHT_API bool pinsight_engine_account(struct pinsight_engine *engine,
                                          struct pinsight_engine_thread *thread);

/* Is the trace as large as it may be? */
static inline bool pinsight_engine_is_full(const struct pinsight_engine *engine) {
    return atomic_load(&engine->size_limit_reached);
}

/* ---- slow paths ---- */

/* Write what was counted, and the totals. Any thread; under the domain's lock where the engine is
 * not shared. */
PINSIGHT_API void pinsight_engine_write_accounts(struct pinsight_engine *engine);

/* Record domain_info, with the kinds of events that are on; `selection` as in the event. */
PINSIGHT_API void pinsight_engine_describe(struct pinsight_engine *engine, const char *runtime,
                                           const char *mechanism, const char *selection);

/* A thread ends: its counts are written, and added to the process's. */
PINSIGHT_API void pinsight_engine_thread_end(struct pinsight_engine *engine,
                                             struct pinsight_engine_thread *thread);

/* In a forked child: forget what the parent counted. */
PINSIGHT_API void pinsight_engine_fork_child(struct pinsight_engine *engine);

#endif
