/* The wait of threads; see pause.h. */
#include "tracer/python/pause.h"

#include "tracer/core/clock.h"
#include "tracer/core/pause.h"
#include "tracer/python/domain.h"
#include "tracer/python/serial.h"
#include "tracer/python/thread.h"
#include "tracer/python/versions.h"

/* The counted times end before the wait of the calling thread, which began at `since` ticks. After
 * the wait, of so many ticks, wait_over() takes it out of them. */
static void wait_begun(struct pinsight_engine_thread *at, uint64_t since) {
    for (; at; at = at->more)
        ((struct pinsight_python_thread *)at)->waits_since = since;
}

static void wait_over(struct pinsight_engine_thread *at, uint64_t ticks) {
    for (; at; at = at->more) {
        struct pinsight_python_thread *thread = (struct pinsight_python_thread *)at;
        for (uint32_t i = 0; i < thread->depth; i++) {
            struct pinsight_entry *entry = &thread->entries[i];
            if ((entry->tag & PINSIGHT_ENTRY_COUNTED) || pinsight_entry_is_within(entry))
                entry->start += ticks;
        }
        thread->waits_since = 0;
    }
}

static struct pinsight_engine_thread *states(const struct pinsight_core_thread *core) {
    return core ? core->state[pinsight_python_domain.slot] : NULL;
}

void pinsight_pause_wait(void) {
    if (!pinsight_is_paused(&pinsight_python_domain))
        return;
    struct pinsight_core_thread *core = pinsight_thread_there();
    uint64_t before = pinsight_clock_ticks();
    wait_begun(states(core), before);
    unsigned depth = pinsight_serial_let_go();
    PyThreadState *state = PyEval_SaveThread();
    pinsight_thread_wait(&pinsight_python_domain, core);
    PyEval_RestoreThread(state);
    pinsight_serial_take_back(depth);
    wait_over(states(core), pinsight_clock_ticks() - before);
}
