/*
 * Domains: what each runtime that PInsight observes tells the core about itself, and the registry
 * of those that are present in this process.
 */
#ifndef PINSIGHT_CORE_DOMAIN_H
#define PINSIGHT_CORE_DOMAIN_H

#include "events/description.h"
#include "pinsight/pinsight.h"
#include "record/tls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the domains of one process; each has a slot in the state of every thread. */
#define PINSIGHT_DOMAINS_MAX PINSIGHT_TLS_DOMAINS

struct pinsight_core_thread;
struct pinsight_record_link;

/*
 * A domain's description of itself. Static in the domain; the core keeps the pointer for the life
 * of the process.
 */
struct pinsight_domain {
    const char *name;               /* "Python" */
    const char *const *punit_kinds; /* parallel units that a range can select, ended by NULL */
    const struct pinsight_event_descriptor *events;
    size_t event_count;

    /*
     * Bring the runtime into the mode that `mode` below has now. Called by the thread that changed
     * the mode, with no lock of the core held; the domain serialises. Returns 0, or -1 if the
     * runtime refuses.
     */
    int (*apply_mode)(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason);

    /* Another configuration is in force, or windows are opened anew, while the mode stays. Called
     * by the control thread. May be NULL. */
    void (*settings_changed)(struct pinsight_domain *domain);

    /* When the runtime came into line with the mode and the configuration in force
     * (CLOCK_MONOTONIC, ns); 0 while it has not. Any thread. NULL where it always has. */
    uint64_t (*applied_at)(struct pinsight_domain *domain);

    /* Threads are to wait at their next callback (PINSIGHT_PAUSED): let the runtime call back where
     * it does not by itself. Control thread. May be NULL. */
    void (*pause)(struct pinsight_domain *domain);

    /* They are not to wait any more. Control thread. May be NULL. */
    void (*resume)(struct pinsight_domain *domain);

    /* The session was rotated: record anew what later events refer to, and what was counted. Called
     * while paused, and in other processes of the run at any time. */
    void (*rotated)(struct pinsight_domain *domain);

    /* What pinsight_process_begin() began ends (process.h): call pinsight_process_end() when the
     * runtime is let go of. May come later than the return. Control thread. May be NULL. */
    void (*detach)(struct pinsight_domain *domain);

    /* What is to be done now and then; returns when it is next (CLOCK_MONOTONIC, ns), 0 where it is
     * not. Who has something new to do calls pinsight_control_wake(). Control thread. May be NULL.
     */
    uint64_t (*tend)(struct pinsight_domain *domain);

    /* The process is about to end, or to execute another program, past every exit function: record
     * what the runtime holds back. Any thread. May be NULL. */
    void (*leaving)(struct pinsight_domain *domain);

    /* A thread ends that has `state` in this domain's slot: close what is open. May be NULL. */
    void (*thread_end)(struct pinsight_core_thread *thread, void *state);

    /* Free a thread's state, without recording. May be NULL. */
    void (*thread_free)(void *state);

    /* In the child of a fork, in its only thread, before any event and before the threads' states
     * are freed: forget the parent. `thread` is the forking thread's state or NULL. Must not
     * record, and must not take locks that another thread may have held. May be NULL. */
    void (*fork_child)(struct pinsight_domain *domain, struct pinsight_core_thread *thread);

    /* By what its events reach the recorder (record/table.h); NULL where it has none. */
    const struct pinsight_record_link *record;

    /* Why apply_mode refused last, as "... : the trace is full"; static text. NULL where nothing is
     * to be said. */
    const char *_Atomic refusal;

    /* enum pinsight_mode, and PINSIGHT_PAUSED; read relaxed on the hot path, where a mode that is
     * not the one that a callback was made for leads off it. */
    _Atomic int mode;
    unsigned slot; /* set by the registry */
};

/* The callbacks that every domain has: its file has those without a prefix, `prefix` are the two of
 * its threads. */
#define PINSIGHT_DOMAIN_CALLBACKS(prefix)                                                          \
    .apply_mode = apply_mode, .settings_changed = settings_changed, .rotated = rotated,            \
    .fork_child = fork_child, .thread_end = prefix##_thread_end,                                   \
    .thread_free = prefix##_thread_free

/* Threads wait at their next callback. */
#define PINSIGHT_PAUSED 0x10

/* The refusal of TRACING after the size limit. */
#define PINSIGHT_REFUSAL_FULL                                                                      \
    "the trace is as large as --max-size lets it be; start the run with a larger one"

/*
 * Make a domain known, and give it the mode that the configuration has for it. A configuration that
 * cannot be read means OFF; who starts the domain reports it. Returns 0, or -1 when there is no
 * room. Registering twice does nothing.
 */
PINSIGHT_API int pinsight_domain_register(struct pinsight_domain *domain);

/* The recorder is there: links the domains that are known to it, and those that will be. Once. */
void pinsight_domains_link(void);

/* The domain of that name in any case of letters, or NULL. */
PINSIGHT_API struct pinsight_domain *pinsight_domain_find(const char *name);

/* Has each domain do what is due; returns when something is due next, 0 for never. Control thread.
 */
uint64_t pinsight_domains_tend(void);

/* The process leaves past every exit function; see `leaving`. Any thread. */
PINSIGHT_API void pinsight_domains_leaving(void);

/* The domain in `slot`, or NULL. */
PINSIGHT_API struct pinsight_domain *pinsight_domain_at(unsigned slot);

/* Walks over all domains: PINSIGHT_EACH_DOMAIN(domain) { … }, which a `return` may leave, and no
 * `break`. */
#define PINSIGHT_EACH_DOMAIN(domain)                                                               \
    for (unsigned slot_##domain = 0; slot_##domain < PINSIGHT_DOMAINS_MAX; slot_##domain++)        \
        for (struct pinsight_domain *domain = pinsight_domain_at(slot_##domain); domain;           \
             domain = NULL)

/* Calls a function of each domain that has it, with the domain first. */
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

/* The same for a hot path: no mode at all while threads are to wait. */
static inline int pinsight_domain_mode_now(struct pinsight_domain *domain) {
    return atomic_load_explicit(&domain->mode, memory_order_relaxed);
}

static inline void pinsight_domain_settings_changed(struct pinsight_domain *domain) {
    if (domain->settings_changed)
        domain->settings_changed(domain);
}

#endif
