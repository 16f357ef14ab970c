/*
 * Threads that wait while an introspection looks at the program. All domains are paused together,
 * and a thread waits in the callback of whichever it comes to first: so it counts once, whatever
 * domains know it.
 */
#ifndef PINSIGHT_CORE_PAUSE_H
#define PINSIGHT_CORE_PAUSE_H

#include "core/domain.h"
#include "core/thread.h"

static inline bool pinsight_is_paused(struct pinsight_domain *domain) {
    return pinsight_domain_mode_now(domain) & PINSIGHT_PAUSED;
}

/*
 * Let every thread wait at its next callback, and await that for at most some 50 ms. How many wait,
 * and how many run on: of those that a domain knows, but for those that are idle. Control thread.
 */
void pinsight_threads_pause(uint32_t *stopped, uint32_t *running);

/* Let them go, and stop no more. */
void pinsight_threads_go_on(void);

/* Wait while the domain is paused; `thread` is the calling thread's state or NULL. Returns the time
 * that it took, in ticks. */
PINSIGHT_API uint64_t pinsight_thread_wait(struct pinsight_domain *domain,
                                           struct pinsight_core_thread *thread);

/* In a forked child: nobody waits, and nobody is to. */
void pinsight_threads_pause_fork_child(void);

#endif
