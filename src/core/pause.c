/* Threads that wait; see pause.h. */
#include "core/pause.h"

#include "core/clock.h"

#include <time.h>

#define PATIENCE_NS 50000000u

struct tally {
    bool (*is_one)(struct pinsight_thread *thread);
    uint32_t all;
};

static void count(struct pinsight_thread *thread, void *data) {
    struct tally *tally = data;
    tally->all += tally->is_one(thread);
}

void pinsight_gate_await(struct pinsight_gate *gate, bool (*is_one)(struct pinsight_thread *thread),
                         uint32_t *stopped, uint32_t *running) {
    const struct timespec look = {.tv_nsec = 500000};
    uint64_t limit = pinsight_clock_ns() + PATIENCE_NS;
    struct tally tally = {.is_one = is_one};

    do {
        nanosleep(&look, NULL);
        tally.all = 0;
        pinsight_thread_each(count, &tally);
        pthread_mutex_lock(&gate->lock);
        *stopped = gate->stopped;
        pthread_mutex_unlock(&gate->lock);
    } while (*stopped < tally.all && pinsight_clock_ns() < limit);
    *running = tally.all > *stopped ? tally.all - *stopped : 0;
}

void pinsight_gate_open(struct pinsight_gate *gate, struct pinsight_domain *domain) {
    pthread_mutex_lock(&gate->lock);
    atomic_fetch_and(&domain->mode, ~PINSIGHT_PAUSED);
    pthread_cond_broadcast(&gate->over);
    pthread_mutex_unlock(&gate->lock);
}

uint64_t pinsight_gate_wait(struct pinsight_gate *gate, struct pinsight_domain *domain,
                            struct pinsight_thread *thread) {
    uint64_t before = pinsight_clock_ticks();
    pthread_mutex_lock(&gate->lock);
    gate->stopped++;
    if (thread)
        atomic_store(&thread->waits_in, domain);
    while (pinsight_is_paused(domain))
        pthread_cond_wait(&gate->over, &gate->lock);
    if (thread)
        atomic_store(&thread->waits_in, NULL);
    gate->stopped--;
    pthread_mutex_unlock(&gate->lock);
    return pinsight_clock_ticks() - before;
}

void pinsight_gate_fork_child(struct pinsight_gate *gate, struct pinsight_domain *domain) {
    *gate = (struct pinsight_gate)PINSIGHT_GATE_INIT;
    atomic_fetch_and(&domain->mode, ~PINSIGHT_PAUSED);
}
