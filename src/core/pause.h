/*
 * Threads that wait while an introspection looks at the program: the part of pausing that all
 * domains have. Which threads are to stop, and where they can, is the domain's.
 */
#ifndef PINSIGHT_CORE_PAUSE_H
#define PINSIGHT_CORE_PAUSE_H

#include "core/domain.h"
#include "core/thread.h"

#include <pthread.h>

/* Where the threads of one domain wait. Static in the domain. */
struct pinsight_gate {
    pthread_mutex_t lock;
    pthread_cond_t over;
    uint32_t stopped; /* threads that wait; under the lock */
};
#define PINSIGHT_GATE_INIT                                                                         \
    { .lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER }

static inline bool pinsight_is_paused(struct pinsight_domain *domain) {
    return pinsight_domain_mode_now(domain) & PINSIGHT_PAUSED;
}

/*
 * Wait for the threads of a domain whose PINSIGHT_PAUSED the caller has set, for at most some 50
 * ms. `is_one` says whether a thread is to stop; it is called under the list's lock. How many wait,
 * and how many run on. Control thread.
 */
PINSIGHT_API void pinsight_gate_await(struct pinsight_gate *gate,
                                      bool (*is_one)(struct pinsight_thread *thread),
                                      uint32_t *stopped, uint32_t *running);

/* Let them go, and stop no more. */
PINSIGHT_API void pinsight_gate_open(struct pinsight_gate *gate, struct pinsight_domain *domain);

/* Wait while the domain is paused; `thread` is the calling thread's state or NULL. Returns the time
 * that it took, in ticks. */
PINSIGHT_API uint64_t pinsight_gate_wait(struct pinsight_gate *gate, struct pinsight_domain *domain,
                                         struct pinsight_thread *thread);

/* In a forked child: nobody waits, and nobody is to. */
PINSIGHT_API void pinsight_gate_fork_child(struct pinsight_gate *gate,
                                           struct pinsight_domain *domain);

#endif
