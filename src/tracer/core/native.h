/*
 * The common part of domains of native code (OpenMP, MPI) beside the engine: lexgions that
 * are identified by addresses, definitions for a new session, and changes of mode and
 * configuration.
 *
 * A domain has one struct pinsight_native. Its state of a thread (thread.h) begins with a struct
 * pinsight_native_thread.
 */
#ifndef PINSIGHT_CORE_NATIVE_H
#define PINSIGHT_CORE_NATIVE_H

#include "tracer/core/engine.h"
#include "tracer/core/log.h"
#include "tracer/core/native_lexgion.h"
#include "tracer/core/pause.h"

struct pinsight_native {
    struct pinsight_engine engine;
    struct pinsight_native_table *table;
    /* Returns whether the object with a path is a part of the runtime. NULL if that makes no
     * difference. */
    bool (*is_inner)(const char *object);
    /* Records the description of the domain, once for each session version of the process. Any
     * thread. */
    void (*describe)(void);
    /* Applies the current mode and configuration to the domain. Under the lock. */
    void (*apply_settings)(void);
    pthread_mutex_t lock;       /* held while mode and configuration are applied */
    _Atomic uint32_t described; /* session version */
    struct pinsight_log_once no_settings;
};

/* The domain's own descriptor and table, and its functions that define a lexgion, describe the
 * domain and apply settings. */
#define PINSIGHT_NATIVE_INIT(its_domain, its_table, its_define, its_describe, its_apply)           \
    .engine = {.domain = (its_domain),                                                             \
               .shared = true,                                                                     \
               .owner = pinsight_native_owner,                                                     \
               .define = (its_define),                                                             \
               PINSIGHT_ENGINE_INIT},                                                              \
    .table = (its_table), .describe = (its_describe), .apply_settings = (its_apply),               \
    .lock = PTHREAD_MUTEX_INITIALIZER, .no_settings = PINSIGHT_LOG_ONCE_INIT

/* The state of a thread. Only the thread uses it, except where a member says otherwise. */
struct pinsight_native_thread {
    struct pinsight_engine_thread engine;
    bool listened;   /* whether a session listened at the last check */
    uint32_t inside; /* open calls of the runtime, if it reports calls */
    struct pinsight_native_cache cache;
};

/* ---- start and end ---- */

/*
 * Reads the configuration and registers the domain with its mode. Returns 0, or -1 after a message.
 */
PINSIGHT_API int pinsight_native_register(struct pinsight_native *native);

/* Called when the runtime starts. Applies mode and configuration, and starts PInsight's threads. */
PINSIGHT_API void pinsight_native_start(struct pinsight_native *native);

/* Called when the runtime ends. Records the counts if the mode counts. */
PINSIGHT_API void pinsight_native_ends(struct pinsight_native *native);

/* Called when a thread has got its state in the domain. Names the thread by `number` if it has no
 * name. In a forked child, starts the watchdog and the control thread. */
PINSIGHT_API void pinsight_native_thread_seen(struct pinsight_native *native,
                                              struct pinsight_native_thread *thread,
                                              uint32_t number);

/* For `fork_child` of the domain's descriptor. Called in a forked child. */
PINSIGHT_API void pinsight_native_fork_child(struct pinsight_native *native);

/* ---- modes; for the domain's descriptor ---- */

/* Changes the domain from the mode `from` to its current mode. Returns -1 if it refuses. */
PINSIGHT_API int pinsight_native_apply_mode(struct pinsight_native *native,
                                            enum pinsight_mode from);
PINSIGHT_API void pinsight_native_settings_changed(struct pinsight_native *native);
PINSIGHT_API void pinsight_native_rotated(struct pinsight_native *native);

/* ---- the domain's description in the trace ---- */

/* Records domain_info, unless this session version has it or no session listens. Returns whether it
 * was recorded now. `punit` is the kind of parallel unit that the configuration selects. */
PINSIGHT_API bool pinsight_native_describe(struct pinsight_native *native, const char *runtime,
                                           const char *mechanism, unsigned punit);

/* Called when a thread finds that listeners have come or gone. The trace may then lack all
 * definitions. Slow path. */
PINSIGHT_API void pinsight_native_listeners_changed(struct pinsight_native *native,
                                                    struct pinsight_native_thread *thread,
                                                    bool listened);

/* Makes the calling thread wait while threads have to. This time does not count for its executions.
 */
PINSIGHT_API void pinsight_native_wait(struct pinsight_native *native,
                                       struct pinsight_native_thread *thread);

/* ---- recording ---- */

/* Adds the bytes of the thread to the process's account. Slow path. */
PINSIGHT_API void pinsight_native_account(struct pinsight_native *native,
                                          struct pinsight_native_thread *thread) PINSIGHT_COLD;

/* Called before and after an event. The size of the event is approximate. */
static inline void pinsight_native_record(const struct pinsight_native *native,
                                          struct pinsight_native_thread *thread) {
    pinsight_progress(&native->engine, &thread->engine);
}
static inline void pinsight_native_recorded(struct pinsight_native *native,
                                            struct pinsight_native_thread *thread, uint32_t bytes) {
    pinsight_progress(&native->engine, &thread->engine);
    if (PINSIGHT_UNLIKELY(pinsight_add(&thread->engine.bytes, bytes) >= PINSIGHT_ACCOUNT_BYTES))
        pinsight_native_account(native, thread);
}

#endif
