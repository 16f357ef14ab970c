/* The engine of a domain; see engine.h. */
#include "tracer/core/engine.h"

#include "tracer/core/link.h"
#include "tracer/record/recorder.h"

#include <stdio.h>
#include <string.h>

/* If a thread's events begin in a new file, records the open calls first. */
static void record_open(void) {
    if (!pinsight_recorder->renew || !pinsight_recorder->renew())
        return;
    pinsight_open_recorder record = atomic_load_explicit(&pinsight_open, memory_order_acquire);
    if (record)
        record();
}

bool pinsight_engine_account(struct pinsight_engine *engine,
                             struct pinsight_engine_thread *thread) {
    uint64_t bytes = thread->bytes;
    uint64_t total = atomic_fetch_add(&engine->recorded_bytes, bytes) + bytes;
    PINSIGHT_PUT(thread->bytes, 0);
    if (pinsight_process.max_size && pinsight_recorder->bytes)
        total = pinsight_recorder->bytes();
    pinsight_recorded_report();
    record_open();
    return pinsight_process.max_size && total >= pinsight_process.max_size &&
           !atomic_exchange(&engine->size_limit_reached, true);
}

/* Adds a thread's totals. A thread at work may not have added its last ones yet. */
static void add(struct pinsight_totals *sum, const struct pinsight_engine_thread *thread) {
    sum->lost_frames += PINSIGHT_GET(thread->lost_frames);
    sum->under_way += PINSIGHT_GET(thread->under_way);
    sum->dropped_ends += PINSIGHT_GET(thread->dropped_ends);
    sum->outside += PINSIGHT_GET(thread->outside);
    sum->bytes += PINSIGHT_GET(thread->bytes);
}

struct tally {
    struct pinsight_totals totals;
    unsigned slot;
};

static void visit(struct pinsight_core_thread *core, void *data) {
    struct tally *tally = data;
    const struct pinsight_engine_thread *thread = core->state[tally->slot];
    for (; thread; thread = PINSIGHT_GET(thread->more))
        add(&tally->totals, thread);
}

void pinsight_engine_write_accounts(struct pinsight_engine *engine) {
    pinsight_count_flush(engine);
    pthread_mutex_lock(&engine->totals_lock);
    struct tally tally = {.totals = engine->ended, .slot = engine->domain->slot};
    tally.totals.bytes += atomic_load(&engine->recorded_bytes);
    tally.totals.size_limit_reached = pinsight_engine_is_full(engine);
    pinsight_thread_each(visit, &tally);
    pthread_mutex_unlock(&engine->totals_lock);
    if (engine->cost)
        pinsight_info_callback_cost(engine->domain, engine->cost);
    pinsight_info_totals(engine->domain, &tally.totals);
}

void pinsight_engine_describe(struct pinsight_engine *engine, const char *runtime,
                              const char *mechanism, const char *selection) {
    const struct pinsight_domain *domain = engine->domain;
    char events[256] = "";
    for (size_t kind = 0; kind < domain->event_count; kind++) {
        size_t length = strlen(events);
        if (pinsight_kind_is_on(engine, (unsigned)kind))
            snprintf(events + length, sizeof events - length, "%s%s", length ? "," : "",
                     domain->events[kind].name);
    }
    pinsight_info_domain(engine->domain, runtime, mechanism, *events ? events : "none", selection);
}

void pinsight_engine_thread_end(struct pinsight_engine *engine,
                                struct pinsight_engine_thread *thread) {
    pinsight_count_flush_thread(engine, thread->core);
    pthread_mutex_lock(&engine->totals_lock);
    for (; thread; thread = thread->more) {
        add(&engine->ended, thread);
        PINSIGHT_PUT(thread->bytes, 0);
        PINSIGHT_PUT(thread->lost_frames, 0);
        PINSIGHT_PUT(thread->under_way, 0);
        PINSIGHT_PUT(thread->dropped_ends, 0);
        PINSIGHT_PUT(thread->outside, 0);
    }
    pthread_mutex_unlock(&engine->totals_lock);
}

void pinsight_engine_fork_child(struct pinsight_engine *engine) {
    engine->resolve_lock = engine->totals_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    engine->ended = (struct pinsight_totals){0};
    atomic_store(&engine->recorded_bytes, 0);
    atomic_store(&engine->size_limit_reached, false);
}
