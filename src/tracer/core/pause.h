/*
 * Makes threads wait while an introspection looks at the program. All domains are paused together,
 * and a thread waits in its next callback of any domain. A thread therefore counts once, even if
 * several domains know it.
 */
#ifndef PINSIGHT_CORE_PAUSE_H
#define PINSIGHT_CORE_PAUSE_H

#include "tracer/core/domain.h"
#include "tracer/core/thread.h"

static inline bool pinsight_is_paused(struct pinsight_domain *domain) {
    return pinsight_domain_mode_now(domain) & PINSIGHT_PAUSED;
}

/*
 * Makes every thread wait at its next callback, and waits for that, some 50 ms at most. Returns the
 * numbers of threads that wait and that still run, among those that a domain knows and that are not
 * idle. Control thread.
 */
void pinsight_threads_pause(uint32_t *stopped, uint32_t *running);

/* Releases the threads. No thread waits afterwards. */
void pinsight_threads_go_on(void);

/* Waits while the domain is paused. `thread` is the calling thread's state or NULL. Returns the
 * waiting time in ticks. */
PINSIGHT_API uint64_t pinsight_thread_wait(struct pinsight_domain *domain,
                                           struct pinsight_core_thread *thread);

/* For a forked child, in which no thread waits. */
void pinsight_threads_pause_fork_child(void);

#endif
