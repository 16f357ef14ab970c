/*
 * The state of a thread, behind one thread-local pointer: its identity, and a slot for each domain.
 * A thread gets its state at its first event and loses it at its end.
 */
#ifndef PINSIGHT_CORE_THREAD_H
#define PINSIGHT_CORE_THREAD_H

#include "tracer/core/count.h"
#include "tracer/core/domain.h"
#include "tracer/core/recorded.h"
#include "tracer/core/thread_start.h"
#include "tracer/record/tls.h"

#include <stdint.h>

struct pinsight_core_thread {
    uint32_t tid;             /* OS thread id */
    int32_t python_thread_id; /* 0: the main thread; others by appearance; -1: no Python */
    /* Increases before and after each event that may block, and is odd inside one. Only the thread
     * writes it. The watchdog reads it. */
    _Atomic uint32_t progress;
    uint32_t watched; /* for the watchdog: the last `progress` that it saw */
    char name[64];    /* as in thread_info; "" if unknown */
    struct pinsight_thread_start start;
    uint32_t start_version; /* session version that has thread_start */
    _Atomic bool waits;     /* it waits in a callback for an introspection (pause.h) */
    /* It has no work, like a runtime's worker between regions, so a pause does not wait for it.
     * Written by the thread. */
    _Atomic bool idle;
    /* The state of each domain, by slot. The thread writes it once, when it is complete, because
     * other threads may visit it. */
    _Atomic(void *) state[PINSIGHT_DOMAINS_MAX];
    struct pinsight_count_tree counts;            /* of all domains */
    struct pinsight_recorded *recorded;           /* the thread's own, while it lives */
    struct pinsight_core_thread *next, *previous; /* the list of all threads, under its lock */
};

/*
 * Returns the state of this thread. It is NULL before the first event, and while a domain has
 * hidden the state to make the next event take its slow path. There, the domain that hid the state
 * shows it again. Other domains use it as it is.
 */
static inline struct pinsight_core_thread *pinsight_thread_self(void) {
    return pinsight_tls()->thread;
}

/* Returns the state of this thread in the domain with that slot. Returns NULL if there is none yet,
 * and while the state is hidden. */
static inline void *pinsight_thread_domain(unsigned slot) {
    return pinsight_tls()->domains[slot];
}

/* Sets the calling thread's state in the domain with that slot. `thread` is the calling thread's
 * own state. */
static inline void pinsight_thread_set_domain(struct pinsight_core_thread *thread, unsigned slot,
                                              void *state) {
    thread->state[slot] = state;
    if (pinsight_thread_self() == thread)
        pinsight_tls()->domains[slot] = state;
}

/* Returns the state of this thread, hidden or not; NULL if there is none. */
static inline struct pinsight_core_thread *pinsight_thread_there(void) {
    const struct pinsight_tls *tls = pinsight_tls();
    return tls->thread ? tls->thread : tls->hidden;
}

/* Sets this thread's state: `thread`, or `hidden` if it is hidden. */
static inline void pinsight_tls_set(struct pinsight_tls *tls, struct pinsight_core_thread *thread,
                                    struct pinsight_core_thread *hidden) {
    tls->thread = thread;
    tls->hidden = hidden;
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++)
        tls->domains[slot] = thread ? thread->state[slot] : NULL;
}

/* Hides this thread's state, and shows it again. Does nothing without a state. Called by the
 * thread itself. */
static inline void pinsight_thread_hide(void) {
    struct pinsight_tls *tls = pinsight_tls();
    if (tls->thread)
        pinsight_tls_set(tls, NULL, tls->thread);
}
static inline void pinsight_thread_show(void) {
    struct pinsight_tls *tls = pinsight_tls();
    if (tls->hidden)
        pinsight_tls_set(tls, tls->hidden, NULL);
}

/*
 * Returns this thread's state, hidden or not, and makes it if there is none. The first state of
 * a process also records process_info. NULL without memory, and while the thread ends.
 */
PINSIGHT_API struct pinsight_core_thread *pinsight_thread_get(void);

/*
 * Calls `visit` with every thread that has state, under the list's lock. `visit` must not start or
 * end threads. It reads data that belongs to other threads, so the caller must know that they do
 * not change it.
 */
PINSIGHT_API void
pinsight_thread_each(void (*visit)(struct pinsight_core_thread *thread, void *data), void *data);

/* Sets a thread's name, which other threads read through pinsight_thread_each. One that is too long
 * is cut, between characters of UTF-8. */
void pinsight_thread_set_name(struct pinsight_core_thread *thread, const char *name);

/* Gives the calling thread its Python number: 0 in the main thread, else the next one. */
PINSIGHT_API void pinsight_thread_number(struct pinsight_core_thread *thread);

/* Returns the number that the next thread would get. */
PINSIGHT_API int32_t pinsight_thread_next_number(void);

/* For process.c. In a forked child, drops the states of all threads. The remaining thread gets a
 * new one at its next event. */
void pinsight_thread_fork_child(void);

#endif
