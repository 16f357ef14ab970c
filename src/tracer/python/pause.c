/* The wait of threads; see pause.h. */
#include "tracer/python/pause.h"

#include "tracer/core/clock.h"
#include "tracer/core/pause.h"
#include "tracer/python/domain.h"
#include "tracer/python/serial.h"
#include "tracer/python/thread.h"
#include "tracer/python/versions.h"

/* Takes the wait out of the counted times. */
static void exclude(uint64_t ticks) {
    struct pinsight_core_thread *core = pinsight_thread_there();
    const struct pinsight_engine_thread *at =
        core ? core->state[pinsight_python_domain.slot] : NULL;
    for (; at; at = at->more) {
        const struct pinsight_python_thread *thread = (const struct pinsight_python_thread *)at;
        for (uint32_t i = 0; i < thread->depth; i++) {
            struct pinsight_entry *entry = &thread->entries[i];
            if ((entry->tag & PINSIGHT_ENTRY_COUNTED) ||
                ((entry->tag & PINSIGHT_ENTRY_NOTED) && (entry->notes & PINSIGHT_NOTE_WITHIN)))
                entry->start += ticks;
        }
    }
}

void pinsight_pause_wait(void) {
    if (!pinsight_is_paused(&pinsight_python_domain))
        return;
    uint64_t before = pinsight_clock_ticks();
    unsigned depth = pinsight_serial_let_go();
    PyThreadState *state = PyEval_SaveThread();
    pinsight_thread_wait(&pinsight_python_domain, pinsight_thread_there());
    PyEval_RestoreThread(state);
    pinsight_serial_take_back(depth);
    exclude(pinsight_clock_ticks() - before);
}
