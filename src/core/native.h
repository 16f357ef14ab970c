/*
 * What domains of native code (OpenMP, MPI) have in common beside the engine: lexgions told by
 * their addresses, definitions that a new session needs, modes and configurations that come into
 * force.
 *
 * A domain has one struct pinsight_native; and the state that it keeps for a thread (thread.h)
 * begins with a struct pinsight_native_thread.
 */
#ifndef PINSIGHT_CORE_NATIVE_H
#define PINSIGHT_CORE_NATIVE_H

#include "core/engine.h"
#include "core/log.h"
#include "core/native_lexgion.h"
#include "core/pause.h"

struct pinsight_native {
    struct pinsight_engine engine;
    struct pinsight_native_table *table;
    /* Is the object of that path part of the runtime? NULL where that makes no difference. */
    bool (*is_inner)(const char *object);
    /* Record what there is to be known of the domain, once for each session version of the process.
     * Any thread. */
    void (*describe)(void);
    /* Bring the domain into line with the mode and the configuration in force. Under the lock. */
    void (*apply_settings)(void);
    pthread_mutex_t lock;       /* serialises what brings the domain into line */
    _Atomic uint32_t described; /* session version */
    struct pinsight_log_once no_settings;
};

/* The domain's own descriptor and table; the functions that define a lexgion, describe the domain
 * and bring it into line. */
#define PINSIGHT_NATIVE_INIT(its_domain, its_table, its_define, its_describe, its_line)            \
    .engine = {.domain = (its_domain),                                                             \
               .shared = true,                                                                     \
               .owner = pinsight_native_owner,                                                     \
               .define = (its_define),                                                             \
               PINSIGHT_ENGINE_INIT},                                                              \
    .table = (its_table), .describe = (its_describe), .apply_settings = (its_line),                \
    .lock = PTHREAD_MUTEX_INITIALIZER, .no_settings = PINSIGHT_LOG_ONCE_INIT

/* Of a thread. Only the thread itself touches it, but where it says otherwise. */
struct pinsight_native_thread {
    struct pinsight_engine_thread engine;
    bool heard;      /* somebody listened, when this was looked at last */
    uint32_t inside; /* calls of the runtime that are open, where it tells of calls */
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

/* In a forked child; for `fork_child` of the domain's descriptor. */
PINSIGHT_API void pinsight_native_fork_child(struct pinsight_native *native);

/* ---- modes; for the domain's descriptor ---- */

/* Bring the domain into the mode that it has now, from `from`. Returns -1 where it refuses. */
PINSIGHT_API int pinsight_native_apply_mode(struct pinsight_native *native,
                                            enum pinsight_mode from);
PINSIGHT_API void pinsight_native_settings_changed(struct pinsight_native *native);
PINSIGHT_API void pinsight_native_rotated(struct pinsight_native *native);

/* ---- what is in the trace about the domain ---- */

/* Record domain_info, unless it was at this session version, or nobody listens; is it recorded now?
 * `punit`: the kind of parallel unit that the configuration selects. */
PINSIGHT_API bool pinsight_native_describe(struct pinsight_native *native, const char *runtime,
                                           const char *mechanism, unsigned punit);

/* Whether somebody listens has changed for this thread: then the trace has none of the definitions,
 * perhaps. Slow path. */
PINSIGHT_API void pinsight_native_heard(struct pinsight_native *native,
                                        struct pinsight_native_thread *thread, bool heard);

/* Threads are to wait: the calling one does. What it counts did not run meanwhile. */
PINSIGHT_API void pinsight_native_wait(struct pinsight_native *native,
                                       struct pinsight_native_thread *thread);

/* ---- recording ---- */

/* Add what the thread recorded to the process's account. Slow path. */
PINSIGHT_API void pinsight_native_account(struct pinsight_native *native,
                                          struct pinsight_native_thread *thread) PINSIGHT_COLD;

/* An event is about to be recorded, one of about so many bytes was. */
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
