/*
 * Domains: the description that each observed runtime gives the core, and the registry of the
 * domains in this process.
 */
#ifndef PINSIGHT_CORE_DOMAIN_H
#define PINSIGHT_CORE_DOMAIN_H

#include "events/description.h"
#include "pinsight/pinsight.h"
#include "tracer/record/tls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most domains of a process. Each has a slot in the state of every thread. */
#define PINSIGHT_DOMAINS_MAX PINSIGHT_TLS_DOMAINS

struct pinsight_core_thread;
struct pinsight_record_link;

/*
 * A domain's description. Static in the domain; the core keeps the pointer for the life of the
 * process.
 */
struct pinsight_domain {
    const char *name;               /* "Python" */
    const char *const *punit_kinds; /* parallel units that a range can select, ended by NULL */
    const struct pinsight_event_descriptor *events;
    size_t event_count;

    /*
     * Brings the runtime into the mode in `mode`. Called by the thread that changed the mode,
     * without a lock of the core. The domain serialises calls. Returns 0, or -1 if the runtime
     * refuses.
     */
    int (*apply_mode)(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason);

    /* Called when another configuration is in force, or windows were opened anew, and the mode
     * stays. Control thread. May be NULL. */
    void (*settings_changed)(struct pinsight_domain *domain);

    /* Returns when the runtime adopted the present mode and configuration (CLOCK_MONOTONIC, ns), or
     * 0 if it has not yet. Any thread. NULL if the runtime adopts them at once. */
    uint64_t (*applied_at)(struct pinsight_domain *domain);

    /* Called when threads have to wait at their next callback (PINSIGHT_PAUSED). Makes the runtime
     * call back if it would not by itself. Control thread. May be NULL. */
    void (*pause)(struct pinsight_domain *domain);

    /* Called when threads need not wait any more. Control thread. May be NULL. */
    void (*resume)(struct pinsight_domain *domain);

    /* Called when the session was rotated. Records definitions again for later events, and the
     * counts. Called during a pause, and at any time in other processes of the run. */
    void (*rotated)(struct pinsight_domain *domain);

    /* Ends a recording that pinsight_process_begin() began (process.h). Calls
     * pinsight_process_end() when the runtime has been released, possibly after the return. Control
     * thread. May be NULL. */
    void (*detach)(struct pinsight_domain *domain);

    /* Does periodic work. Returns when it is due next (CLOCK_MONOTONIC, ns), or 0 for never. A
     * thread that adds work calls pinsight_control_wake(). Control thread. May be NULL. */
    uint64_t (*tend)(struct pinsight_domain *domain);

    /* Called before the process ends or executes another program without exit functions. Records
     * the data that the runtime holds back. Any thread. May be NULL. */
    void (*leaving)(struct pinsight_domain *domain);

    /* Called when a thread with `state` in this domain's slot ends. Closes the open calls. May be
     * NULL. */
    void (*thread_end)(struct pinsight_core_thread *thread, void *state);

    /* Frees a thread's state, without recording. May be NULL. */
    void (*thread_free)(void *state);

    /* Forgets the parent, in the child of a fork. Called in the child's only thread, before any
     * event and before the threads' states are freed. `thread` is the forking thread's state or
     * NULL. Must not record, and must not take locks that another thread may have held. May be
     * NULL. */
    void (*fork_child)(struct pinsight_domain *domain, struct pinsight_core_thread *thread);

    /* The domain's link to the recorder (tracer/record/table.h), or NULL. */
    const struct pinsight_record_link *record;

    /* The reason of the last refusal by apply_mode, such as "the trace is full"; static text. NULL
     * if there is nothing to say. */
    const char *_Atomic refusal;

    /* enum pinsight_mode and PINSIGHT_PAUSED. Read relaxed on the hot path: a callback leaves the
     * hot path if the mode differs from the one that it was made for. */
    _Atomic int mode;
    unsigned slot; /* index of the domain's slot; set by the registry */
};

/* Initialises the callbacks that every domain has. The domain's file defines them without a prefix,
 * except for the two functions of threads, which have `prefix`. */
#define PINSIGHT_DOMAIN_CALLBACKS(prefix)                                                          \
    .apply_mode = apply_mode, .settings_changed = settings_changed, .rotated = rotated,            \
    .fork_child = fork_child, .thread_end = prefix##_thread_end,                                   \
    .thread_free = prefix##_thread_free

/* A bit of `mode`: threads wait at their next callback. */
#define PINSIGHT_PAUSED 0x10

/* The reason for refusing TRACING after the size limit. */
#define PINSIGHT_REFUSAL_FULL                                                                      \
    "the trace is as large as --max-size lets it be; start the run with a larger one"

/*
 * Registers a domain, and gives it the mode of the configuration. If the configuration cannot be
 * read, the mode is OFF, and the caller reports the error. Returns 0, or -1 if there is no room.
 * Registering a domain again does nothing.
 */
PINSIGHT_API int pinsight_domain_register(struct pinsight_domain *domain);

/* Links all present and future domains to the recorder. Called once, when the recorder is known. */
void pinsight_domains_link(void);

/* Returns the domain with a name, ignoring case, or NULL. Registers the domain User if it is
 * asked for. */
PINSIGHT_API struct pinsight_domain *pinsight_domain_find(const char *name);

/* Lets each domain do its periodic work. Returns when work is due next, or 0 for never. Control
 * thread. */
uint64_t pinsight_domains_tend(void);

/* Calls `leaving` of all domains, before the process leaves without exit functions. Any thread. */
PINSIGHT_API void pinsight_domains_leaving(void);

/* Returns the domain in `slot`, or NULL. */
PINSIGHT_API struct pinsight_domain *pinsight_domain_at(unsigned slot);

/* Iterates over all domains: PINSIGHT_EACH_DOMAIN(domain) { … }. The body may use `return`, but not
 * `break`. */
#define PINSIGHT_EACH_DOMAIN(domain)                                                               \
    for (unsigned slot_##domain = 0; slot_##domain < PINSIGHT_DOMAINS_MAX; slot_##domain++)        \
        for (struct pinsight_domain *domain = pinsight_domain_at(slot_##domain); domain;           \
             domain = NULL)

/* Calls a function of each domain that has it, with the domain as the first argument. */
#define PINSIGHT_DOMAINS_CALL(function, ...)                                                       \
    do {                                                                                           \
        PINSIGHT_EACH_DOMAIN(called_) {                                                            \
            if (called_->function)                                                                 \
                called_->function(called_, ##__VA_ARGS__);                                         \
        }                                                                                          \
    } while (0)

static inline enum pinsight_mode pinsight_domain_mode(struct pinsight_domain *domain) {
    return (enum pinsight_mode)(atomic_load_explicit(&domain->mode, memory_order_relaxed) &
                                ~PINSIGHT_PAUSED);
}

/* Returns the mode for a hot path. The value is no valid mode while threads have to wait. */
static inline int pinsight_domain_mode_now(struct pinsight_domain *domain) {
    return atomic_load_explicit(&domain->mode, memory_order_relaxed);
}

static inline void pinsight_domain_settings_changed(struct pinsight_domain *domain) {
    if (domain->settings_changed)
        domain->settings_changed(domain);
}

#endif
