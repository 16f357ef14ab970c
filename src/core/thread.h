/*
 * Per-thread state, behind one thread-local pointer: identity, and a slot for each domain. A thread
 * gets its state at its first event and loses it when it ends.
 */
#ifndef PINSIGHT_CORE_THREAD_H
#define PINSIGHT_CORE_THREAD_H

#include "core/domain.h"
#include "core/recorded.h"
#include "record/tls.h"

#include <stdint.h>

struct pinsight_core_thread {
    uint32_t tid; /* OS thread id */
    int32_t
        python_thread_id; /* 0 is the main thread, then in order of appearance; -1 without Python */
    /* Moves on before and after each event that may block, so that it is odd inside one; only the
     * thread itself writes it, the watchdog reads it. */
    _Atomic uint32_t progress;
    uint32_t watched;   /* the watchdog's alone: where it saw `progress` last */
    char name[64];      /* as thread_info gives it; "" where it is not known (yet) */
    _Atomic bool waits; /* in a callback, for an introspection (pause.h) */
    /* It has nothing to do, as a runtime's worker between regions: while threads are to wait,
     * nobody waits for it. Written by the thread. */
    _Atomic bool idle;
    /* What each domain keeps, by its slot. Written once, by the thread itself, when it is complete:
     * who visits all threads may see it. */
    _Atomic(void *) state[PINSIGHT_DOMAINS_MAX];
    struct pinsight_recorded *recorded;           /* the thread's own, while it lives */
    struct pinsight_core_thread *next, *previous; /* the list of all threads, under its lock */
};

/*
 * This thread's state, NULL before its first event, and while a domain has put it aside, so that
 * the thread's next event of any domain takes its slow path. That of the domain that put it aside
 * takes it back; any other goes on with it as it is.
 */
static inline struct pinsight_core_thread *pinsight_thread_self(void) {
    return pinsight_tls()->thread;
}

/* What the domain with that slot keeps of this thread. NULL where there is nothing yet, and while
 * the state is put aside. */
static inline void *pinsight_thread_domain(unsigned slot) {
    return pinsight_tls()->domains[slot];
}

/* Sets that, of the calling thread, whose state is `thread`. */
static inline void pinsight_thread_set_domain(struct pinsight_core_thread *thread, unsigned slot,
                                              void *state) {
    thread->state[slot] = state;
    if (pinsight_thread_self() == thread)
        pinsight_tls()->domains[slot] = state;
}

/* This thread's state, aside or not; NULL without. */
static inline struct pinsight_core_thread *pinsight_thread_there(void) {
    const struct pinsight_tls *tls = pinsight_tls();
    return tls->thread ? tls->thread : tls->aside;
}

/* Put this thread's state aside, and take it back. Nothing where there is none. Only the thread
 * itself. */
static inline void pinsight_thread_put_aside(void) {
    struct pinsight_tls *tls = pinsight_tls();
    if (tls->thread) {
        tls->aside = tls->thread;
        tls->thread = NULL;
        for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++)
            tls->domains[slot] = NULL;
    }
}
static inline void pinsight_thread_take_back(void) {
    struct pinsight_tls *tls = pinsight_tls();
    if (tls->aside) {
        tls->thread = tls->aside;
        tls->aside = NULL;
        for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++)
            tls->domains[slot] = tls->thread->state[slot];
    }
}

/*
 * This thread's state, which may be aside, made if there is none. The first one in a process also
 * records process_info. NULL when memory is short or the thread is ending.
 */
PINSIGHT_API struct pinsight_core_thread *pinsight_thread_get(void);

/*
 * Call `visit` with every thread that has state, under the list's lock: `visit` must not start or
 * end threads. What it reads of other threads is theirs: the caller knows why they stand still.
 */
PINSIGHT_API void
pinsight_thread_each(void (*visit)(struct pinsight_core_thread *thread, void *data), void *data);

/* Give the calling thread its Python number: 0 in the main thread, else the next one. */
PINSIGHT_API void pinsight_thread_number(struct pinsight_core_thread *thread);

/* The number that the next thread would get. */
PINSIGHT_API int32_t pinsight_thread_next_number(void);

/* For process.c: in a forked child, drop the state of every thread, also of the one that is left;
 * it gets a new one at its next event. */
void pinsight_thread_fork_child(void);

#endif
