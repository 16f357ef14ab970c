/* Threads that wait; see pause.h. */
#include "domains/python/pause.h"

#include "core/clock.h"
#include "core/pause.h"
#include "domains/python/domain.h"
#include "domains/python/thread.h"

static struct pinsight_gate gate = PINSIGHT_GATE_INIT;

/* One that waits in another domain counts there. */
static bool is_to_stop(struct pinsight_thread *core) {
    struct pinsight_domain *waits_in = atomic_load(&core->waits_in);
    return core->state[pinsight_python_domain.slot] &&
           (!waits_in || waits_in == &pinsight_python_domain);
}

void pinsight_pause(struct pinsight_domain *domain, uint32_t *stopped, uint32_t *running) {
    atomic_fetch_or(&domain->mode, PINSIGHT_PAUSED);
    /* Code that is not wanted is reported once more, so that a thread which runs nothing else stops
     * too. */
    domain->settings_changed(domain);
    pinsight_gate_await(&gate, is_to_stop, stopped, running);
}

void pinsight_pause_over(struct pinsight_domain *domain) {
    pinsight_gate_open(&gate, domain);
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
    if (!pinsight_is_paused(&pinsight_python_domain))
        return;
    uint64_t before = pinsight_clock_ticks();
    PyThreadState *state = PyEval_SaveThread();
    pinsight_gate_wait(&gate, &pinsight_python_domain, pinsight_thread_self);
    PyEval_RestoreThread(state);
    leave_out(pinsight_clock_ticks() - before);
}

void pinsight_pause_fork_child(void) {
    pinsight_gate_fork_child(&gate, &pinsight_python_domain);
}
