/* Threads that wait; see pause.h. */
#include "domains/python/pause.h"

#include "core/clock.h"
#include "core/thread.h"
#include "domains/python/domain.h"
#include "domains/python/thread.h"

#include <pthread.h>

#define PATIENCE_NS 50000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static uint32_t stopped_count; /* under the lock */

static bool is_paused(void) {
    return pinsight_domain_mode_now(&pinsight_python_domain) & PINSIGHT_PAUSED;
}

/* One that waits in another domain counts there. */
static void count(struct pinsight_thread *core, void *data) {
    uint32_t *all = data;
    struct pinsight_domain *waits_in = atomic_load(&core->waits_in);
    if (core->state[pinsight_python_domain.slot] &&
        (!waits_in || waits_in == &pinsight_python_domain))
        ++*all;
}

void pinsight_pause(struct pinsight_domain *domain, uint32_t *stopped, uint32_t *running) {
    const struct timespec look = {.tv_nsec = 500000};
    uint64_t limit = pinsight_clock_ns() + PATIENCE_NS;
    uint32_t all;

    atomic_fetch_or(&domain->mode, PINSIGHT_PAUSED);
    /* Code that is not wanted is reported once more, so that a thread which runs nothing else stops
     * too. */
    domain->settings_changed(domain);
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

void pinsight_pause_over(struct pinsight_domain *domain) {
    pthread_mutex_lock(&lock);
    atomic_fetch_and(&domain->mode, ~PINSIGHT_PAUSED);
    pthread_cond_broadcast(&over);
    pthread_mutex_unlock(&lock);
}

/* What is counted did not run meanwhile. */
static void leave_out(uint64_t ticks) {
    struct pinsight_thread *core = pinsight_thread_self;
    struct pinsight_python_thread *thread = core ? core->state[pinsight_python_domain.slot] : NULL;
    for (uint32_t i = 0; thread && i < thread->depth; i++) {
        if (thread->entries[i].tag & PINSIGHT_ENTRY_COUNTED)
            thread->entries[i].start += ticks;
    }
}

void pinsight_pause_wait(void) {
    if (!is_paused())
        return;
    uint64_t before = pinsight_clock_ticks();
    struct pinsight_thread *core = pinsight_thread_self;
    PyThreadState *state = PyEval_SaveThread();
    pthread_mutex_lock(&lock);
    stopped_count++;
    if (core)
        atomic_store(&core->waits_in, &pinsight_python_domain);
    while (is_paused())
        pthread_cond_wait(&over, &lock);
    if (core)
        atomic_store(&core->waits_in, NULL);
    stopped_count--;
    pthread_mutex_unlock(&lock);
    PyEval_RestoreThread(state);
    leave_out(pinsight_clock_ticks() - before);
}

void pinsight_pause_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    over = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    stopped_count = 0;
    atomic_fetch_and(&pinsight_python_domain.mode, ~PINSIGHT_PAUSED);
}
