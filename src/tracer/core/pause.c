/* Threads that wait during an introspection; see pause.h. */
#include "tracer/core/pause.h"

#include "tracer/core/clock.h"
#include "tracer/core/process.h"

#include <pthread.h>
#include <time.h>

#define PATIENCE_NS 50000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static uint32_t nameless; /* waiting threads without a state; under the lock */

struct pause_tally {
    uint32_t stopped, running;
};

static bool is_known(const struct pinsight_core_thread *thread) {
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++)
        if (thread->state[slot])
            return true;
    return false;
}

static void count(struct pinsight_core_thread *thread, void *data) {
    struct pause_tally *tally = data;
    if (atomic_load(&thread->waits))
        tally->stopped++;
    else if (is_known(thread) && !atomic_load(&thread->idle))
        tally->running++;
}

void pinsight_threads_pause(uint32_t *stopped, uint32_t *running) {
    const struct timespec look = {.tv_nsec = 500000};
    struct pause_tally tally;

    /* All domains are set first, because a thread may stop in any of them. */
    PINSIGHT_EACH_DOMAIN(domain) {
        atomic_fetch_or(&domain->mode, PINSIGHT_PAUSED);
    }
    /* makes callbacks that compare only the decision version look at the mode */
    pinsight_decision_version_next();
    PINSIGHT_DOMAINS_CALL(pause);
    uint64_t limit = pinsight_clock_ns() + PATIENCE_NS;
    do {
        nanosleep(&look, NULL);
        tally = (struct pause_tally){0};
        pinsight_thread_each(count, &tally);
        pthread_mutex_lock(&lock);
        tally.stopped += nameless;
        pthread_mutex_unlock(&lock);
    } while (tally.running && pinsight_clock_ns() < limit);
    *stopped = tally.stopped;
    *running = tally.running;
}

void pinsight_threads_go_on(void) {
    pthread_mutex_lock(&lock);
    PINSIGHT_EACH_DOMAIN(domain) {
        atomic_fetch_and(&domain->mode, ~PINSIGHT_PAUSED);
    }
    pthread_cond_broadcast(&over);
    pthread_mutex_unlock(&lock);
    PINSIGHT_DOMAINS_CALL(resume);
}

uint64_t pinsight_thread_wait(struct pinsight_domain *domain, struct pinsight_core_thread *thread) {
    uint64_t before = pinsight_clock_ticks();
    pthread_mutex_lock(&lock);
    if (thread)
        atomic_store(&thread->waits, true);
    else
        nameless++;
    while (pinsight_is_paused(domain))
        pthread_cond_wait(&over, &lock);
    if (thread)
        atomic_store(&thread->waits, false);
    else
        nameless--;
    pthread_mutex_unlock(&lock);
    return pinsight_clock_ticks() - before;
}

void pinsight_threads_pause_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    over = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    nameless = 0;
    PINSIGHT_EACH_DOMAIN(domain) {
        atomic_fetch_and(&domain->mode, ~PINSIGHT_PAUSED);
    }
}
