/*
 * The engine is the part of all domains that handles lexgions. It decides which executions are
 * recorded (lexgion.h), counts for MONITORING (count.h), and keeps totals of recorded and omitted
 * executions. It holds the settings that the domain has taken from the configuration.
 *
 * A domain has one struct pinsight_engine, which names the owner of a lexgion and frees it. The
 * domain's state of a thread (thread.h) begins with a struct pinsight_engine_thread. native.h has
 * the further common parts of domains of native code.
 */
#ifndef PINSIGHT_CORE_ENGINE_H
#define PINSIGHT_CORE_ENGINE_H

#include "tracer/core/callback_cost.h"
#include "tracer/core/count.h"
#include "tracer/core/info.h"
#include "tracer/core/lexgion.h"
#include "tracer/core/thread.h"

#include <pthread.h>

/* An open execution that is counted. */
struct pinsight_counted_call {
    /* `node` is NULL if the execution is not counted */
    struct pinsight_count_node *node, *outer_node;
    struct pinsight_counted_call *outer; /* the next outer one of the same domain */
    uint64_t start;                      /* ticks */
    uint32_t breaks;                     /* `breaks` of the tree at the begin */
};

/* Receives a counted execution that is still open, at `node` within `outer`, and its time in ticks
 * so far. For a traced execution within the counted one at `outer`, `node` is NULL. */
typedef void (*pinsight_open_visit)(struct pinsight_count_node *node,
                                    struct pinsight_count_node *outer, uint64_t ticks);

struct pinsight_engine {
    struct pinsight_domain *domain;

    /* ---- constant; set by the domain ---- */

    bool shared; /* threads execute its lexgions concurrently, without a lock */
    /* Fills in who owns the lexgion. The names live as long as the lexgion. */
    void (*owner)(const struct pinsight_lexgion *lexgion, struct pinsight_window_owner *owner);
    /* Frees a dead lexgion. NULL if the domain never frees lexgions. */
    void (*free)(struct pinsight_lexgion *lexgion);
    /* Returns whether the current configuration wants the lexgion, apart from its window. NULL if
     * it wants all. */
    bool (*wanted)(struct pinsight_lexgion *lexgion);
    /* Records the definition of the lexgion if a session listens. */
    void (*define)(const struct pinsight_lexgion *lexgion);
    /* The cost of the domain's callbacks. NULL if they are not timed. */
    struct pinsight_callback_cost *cost;
    /* Visits the open, counted executions of a thread, when its counts are written. NULL if the
     * domain does not know them; an execution is then counted at its end. */
    void (*each_open)(struct pinsight_core_thread *thread, pinsight_open_visit visit);

    /* ---- taken from the configuration by the domain ---- */

    _Atomic uint64_t kinds;          /* of events that are on: bit n is kind n */
    _Atomic uint32_t config_version; /* of the configuration that the settings are from; 0: none */
    bool lossless;                   /* buffers block; constant after the start */

    /* ---- the engine's own ---- */

    pthread_mutex_t resolve_lock;
    /* Lexgions that wait for their counts to be written. Under the domain's lock. */
    struct pinsight_lexgion **dead;
    uint32_t dead_count;
    /* The totals of threads that have ended. Under the lock, a thread that ends is counted once:
     * here or with the running threads. */
    pthread_mutex_t totals_lock;
    struct pinsight_totals ended;
    _Atomic uint64_t recorded_bytes;
    _Atomic bool size_limit_reached;
};
#define PINSIGHT_ENGINE_INIT                                                                       \
    .resolve_lock = PTHREAD_MUTEX_INITIALIZER, .totals_lock = PTHREAD_MUTEX_INITIALIZER

/* The engine's state of a thread. Only the thread writes it, with pinsight_add. Others may read it.
 */
struct pinsight_engine_thread {
    struct pinsight_core_thread *core;
    uint64_t bytes; /* bytes recorded since the last account */
    uint64_t lost_frames, under_way, dropped_ends, outside; /* as in struct pinsight_totals */
    struct pinsight_counted_call *counted; /* the innermost, if the engine is shared */
    struct pinsight_engine_thread *more;   /* another state of the thread in the domain, or NULL */
};

/* Returns whether a kind of event is on. For hot paths. */
static inline bool pinsight_kind_is_on(const struct pinsight_engine *engine, unsigned kind) {
    return atomic_load_explicit(&engine->kinds, memory_order_relaxed) >> kind & 1;
}

/* ---- recording ---- */

/* A thread adds its bytes to the process's account after recording this many. */
#define PINSIGHT_ACCOUNT_BYTES 65536u

/* Called before and after an event that may block. In between, the watchdog sees an odd number. */
PINSIGHT_ALWAYS_INLINE void pinsight_progress(const struct pinsight_engine *engine,
                                              struct pinsight_engine_thread *thread) {
    if (PINSIGHT_UNLIKELY(engine->lossless))
        atomic_store_explicit(&thread->core->progress,
                              atomic_load_explicit(&thread->core->progress, memory_order_relaxed) +
                                  1,
                              memory_order_relaxed);
}

/* Adds the bytes of the thread to the process's account. Returns true once, when the trace has just
 * reached its size limit and the domain has to continue in MONITORING. Slow path. */
PINSIGHT_API bool pinsight_engine_account(struct pinsight_engine *engine,
                                          struct pinsight_engine_thread *thread);

/* Returns whether the trace has reached its size limit. */
static inline bool pinsight_engine_is_full(const struct pinsight_engine *engine) {
    return atomic_load(&engine->size_limit_reached);
}

/* ---- counting, for a domain whose engine is shared ---- */

/* Begins a counted execution. `counted` holds its data until its end. `lexgion` may be NULL.
 * `place` is the place of the call, as in a node. */
static inline void pinsight_count_begin(struct pinsight_engine *engine,
                                        struct pinsight_engine_thread *thread,
                                        struct pinsight_counted_call *counted,
                                        struct pinsight_lexgion *lexgion, uint64_t place) {
    struct pinsight_count_tree *tree = &thread->core->counts;
    struct pinsight_count_node *outer = tree->innermost;
    counted->node = lexgion ? pinsight_count_child(engine, tree, outer, lexgion, place) : NULL;
    if (!counted->node)
        return;
    counted->outer_node = outer;
    counted->outer = thread->counted;
    counted->breaks = PINSIGHT_GET(tree->breaks);
    counted->start = pinsight_clock_ticks();
    thread->counted = counted;
    tree->innermost = counted->node;
}

/* Ends the execution at the time `end`, in ticks. */
static inline void pinsight_count_end(struct pinsight_engine_thread *thread,
                                      struct pinsight_counted_call *counted, uint64_t end) {
    struct pinsight_count_tree *tree = &thread->core->counts;
    struct pinsight_count_node *node = counted->node;
    if (!node)
        return;
    uint64_t ticks = end > counted->start ? end - counted->start : 0;
    pinsight_add(&node->calls, 1);
    pinsight_count_took(node, ticks);
    pinsight_add(&counted->outer_node->children, ticks);
    tree->innermost =
        counted->breaks == PINSIGHT_GET(tree->breaks) ? counted->outer_node : &tree->root;
    thread->counted = counted->outer;
    counted->node = NULL;
}

/* Excludes a time in ticks from all open, counted executions, because the thread was paused. */
static inline void pinsight_count_exclude(struct pinsight_engine_thread *thread, uint64_t ticks) {
    for (struct pinsight_counted_call *at = thread->counted; at; at = at->outer)
        at->start += ticks;
}

/* ---- slow paths ---- */

/* Records the counts and the totals. Any thread; under the domain's lock if the engine is not
 * shared. */
PINSIGHT_API void pinsight_engine_write_accounts(struct pinsight_engine *engine);

/* Records domain_info, with the kinds of events that are on. `selection` is as in the event. */
PINSIGHT_API void pinsight_engine_describe(struct pinsight_engine *engine, const char *runtime,
                                           const char *mechanism, const char *selection);

/* Ends a thread: records its counts and adds its totals to the process's. */
PINSIGHT_API void pinsight_engine_thread_end(struct pinsight_engine *engine,
                                             struct pinsight_engine_thread *thread);

/* Clears the counts of the parent. For a forked child. */
PINSIGHT_API void pinsight_engine_fork_child(struct pinsight_engine *engine);

#endif
