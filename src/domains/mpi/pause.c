/* Threads that wait; see pause.h. */
#include "domains/mpi/pause.h"

#include "core/clock.h"

#include <pthread.h>
#include <time.h>

#define PATIENCE_NS 50000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static uint32_t stopped_count; /* under the lock */

static bool is_paused(void) {
    return pinsight_domain_mode_now(&pinsight_mpi_domain) & PINSIGHT_PAUSED;
}

/* A thread that another domain knows too counts there, unless it waits here. */
static bool has_another_domain(const struct pinsight_thread *core) {
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++)
        if (slot != pinsight_mpi_domain.slot && core->state[slot])
            return true;
    return false;
}

static void count(struct pinsight_thread *core, void *data) {
    uint32_t *all = data;
    const struct pinsight_mpi_thread *thread = core->state[pinsight_mpi_domain.slot];
    struct pinsight_domain *waits_in = atomic_load(&core->waits_in);
    if (waits_in == &pinsight_mpi_domain || (thread && !waits_in && !has_another_domain(core)))
        ++*all;
}

void pinsight_mpi_pause(struct pinsight_domain *domain, uint32_t *stopped, uint32_t *running) {
    const struct timespec look = {.tv_nsec = 500000};
    uint64_t limit = pinsight_clock_ns() + PATIENCE_NS;
    uint32_t all;

    atomic_fetch_or(&domain->mode, PINSIGHT_PAUSED);
    do {
        nanosleep(&look, NULL);
        all = 0;
        pinsight_thread_each(count, &all);
        pthread_mutex_lock(&lock);
        *stopped = stopped_count;
        pthread_mutex_unlock(&lock);
    } while (*stopped < all && pinsight_clock_ns() < limit);
    *running = all > *stopped ? all - *stopped : 0;
}

void pinsight_mpi_go_on(struct pinsight_domain *domain) {
    pthread_mutex_lock(&lock);
    atomic_fetch_and(&domain->mode, ~PINSIGHT_PAUSED);
    pthread_cond_broadcast(&over);
    pthread_mutex_unlock(&lock);
}

void pinsight_mpi_pause_wait(struct pinsight_mpi_thread *thread) {
    uint64_t before = pinsight_clock_ticks();
    pthread_mutex_lock(&lock);
    stopped_count++;
    atomic_store(&thread->core->waits_in, &pinsight_mpi_domain);
    while (is_paused())
        pthread_cond_wait(&over, &lock);
    atomic_store(&thread->core->waits_in, NULL);
    stopped_count--;
    pthread_mutex_unlock(&lock);
    uint64_t waited = pinsight_clock_ticks() - before;
    for (struct pinsight_mpi_counted *at = thread->counting; at; at = at->outer)
        at->start += waited; /* what is counted did not run meanwhile */
}

void pinsight_mpi_pause_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    over = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    stopped_count = 0;
    atomic_fetch_and(&pinsight_mpi_domain.mode, ~PINSIGHT_PAUSED);
}
