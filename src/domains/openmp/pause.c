/* Threads that wait; see pause.h. */
#include "domains/openmp/pause.h"

#include "core/pause.h"

static struct pinsight_gate gate = PINSIGHT_GATE_INIT;

/* A thread that another domain knows too counts there, unless it waits here. */
static bool has_another_domain(const struct pinsight_thread *core) {
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++)
        if (slot != pinsight_openmp_domain.slot && core->state[slot])
            return true;
    return false;
}

static bool is_to_stop(struct pinsight_thread *core) {
    const struct pinsight_omp_thread *thread = core->state[pinsight_openmp_domain.slot];
    struct pinsight_domain *waits_in = atomic_load(&core->waits_in);
    return waits_in == &pinsight_openmp_domain ||
           (thread && !waits_in && !atomic_load(&thread->idle) && !has_another_domain(core));
}

void pinsight_omp_pause(struct pinsight_domain *domain, uint32_t *stopped, uint32_t *running) {
    atomic_fetch_or(&domain->mode, PINSIGHT_PAUSED);
    pinsight_gate_await(&gate, is_to_stop, stopped, running);
}

void pinsight_omp_go_on(struct pinsight_domain *domain) {
    pinsight_gate_open(&gate, domain);
}

void pinsight_omp_pause_wait(struct pinsight_omp_thread *thread) {
    uint64_t waited = pinsight_gate_wait(&gate, &pinsight_openmp_domain, thread->native.core);
    pinsight_native_count_leave_out(&thread->native.counts, waited);
}

void pinsight_omp_pause_fork_child(void) {
    pinsight_gate_fork_child(&gate, &pinsight_openmp_domain);
}
