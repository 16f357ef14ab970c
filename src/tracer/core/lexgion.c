/* Lexgions, and the decision whether their executions are recorded; see lexgion.h. */
#include "tracer/core/lexgion.h"

#include "tracer/core/count_memory.h"
#include "tracer/core/engine.h"
#include "tracer/core/grace.h"
#include "tracer/core/info.h"
#include "tracer/core/resolve.h"
#include "tracer/core/settings.h"
#include "tracer/record/core_types.h"

#include <stdlib.h>

/* Returns the window, which is valid until leave_window(). */
static struct pinsight_window *enter_window(const struct pinsight_engine *engine,
                                            const struct pinsight_lexgion *lexgion) {
    if (engine->shared)
        pinsight_reader_enters();
    return __atomic_load_n(&lexgion->window, __ATOMIC_ACQUIRE);
}

static void leave_window(const struct pinsight_engine *engine) {
    if (engine->shared)
        pinsight_reader_leaves();
}

static void free_window(const struct pinsight_engine *engine, struct pinsight_window *window) {
    if (!window)
        return;
    if (engine->shared)
        pinsight_readers_wait();    /* another thread may be using it */
    pinsight_window_forget(window); /* a due timer would use the owner's names */
    free(window);
}

void pinsight_lexgion_resolve(struct pinsight_engine *engine, struct pinsight_lexgion *lexgion) {
    struct pinsight_window_owner owner = {.domain = engine->domain, .lexgion = lexgion->id};
    struct pinsight_window *old = NULL;
    uint32_t version = pinsight_config_version(); /* read before the look-ups */
    if (PINSIGHT_GET(lexgion->resolved) == version)
        return;
    bool wanted = !engine->wanted || engine->wanted(lexgion);
    engine->owner(lexgion, &owner);
    pthread_mutex_lock(&engine->resolve_lock);
    if (PINSIGHT_GET(lexgion->resolved) != pinsight_config_version()) {
        enum pinsight_mode after;
        struct pinsight_window *window =
            pinsight_resolve_window(lexgion->window, &owner, version, &after);
        if (window != lexgion->window) {
            old = lexgion->window;
            PINSIGHT_PUT(lexgion->last_open, false);
            __atomic_store_n(&lexgion->window, window, __ATOMIC_RELEASE);
        }
        PINSIGHT_PUT(lexgion->filtered, !wanted);
        PINSIGHT_PUT(lexgion->after, (uint8_t)after);
        __atomic_store_n(&lexgion->resolved, version, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&engine->resolve_lock);
    free_window(engine, old);
}

void pinsight_lexgion_define(struct pinsight_engine *engine, struct pinsight_lexgion *lexgion) {
    uint32_t session = pinsight_session_version();
    if (PINSIGHT_GET(lexgion->defined) == session)
        return;
    if (!pinsight_process.silent && !pinsight_stuck())
        engine->define(lexgion);
    PINSIGHT_PUT(lexgion->defined, session);
}

/* ---- the decision ---- */

/* Refuses this execution and all later ones, as long as the decision version stays. */
static struct pinsight_decision refuse(struct pinsight_lexgion *lexgion, uint32_t version,
                                       bool outside) {
    if (!lexgion->ask_each)
        PINSIGHT_PUT(lexgion->refuse_version, version);
    return (struct pinsight_decision){.outside = outside, .shut = true};
}

/* Decides on an execution that begins after the window's end. */
static struct pinsight_decision past(struct pinsight_lexgion *lexgion, uint32_t version) {
    switch (PINSIGHT_GET(lexgion->after)) {
    case PINSIGHT_MODE_TRACING:
        return (struct pinsight_decision){.traced = true};
    case PINSIGHT_MODE_MONITORING:
        return (struct pinsight_decision){.counted = true}; /* counted, so that the report has it */
    default:
        return refuse(lexgion, version, true);
    }
}

/* Decides on an execution that starts, and counts it in the window. */
static struct pinsight_decision take(struct pinsight_lexgion *lexgion,
                                     struct pinsight_window *window, uint32_t version) {
    if (atomic_load_explicit(&window->ended, memory_order_relaxed) ||
        PINSIGHT_GET(lexgion->last_open))
        return past(lexgion, version);
    switch (pinsight_window_take(window)) {
    case PINSIGHT_TAKE_NOT:
        return (struct pinsight_decision){.outside = true};
    case PINSIGHT_TAKE:
        return (struct pinsight_decision){.traced = true};
    case PINSIGHT_TAKE_LAST:
        PINSIGHT_PUT(lexgion->last_open, true);
        return (struct pinsight_decision){.traced = true, .last = true};
    case PINSIGHT_TAKE_TIMED_OUT:
        pinsight_window_end(window, PINSIGHT_CORE_WINDOW_CAUSE_WINDOW_TIMEOUT);
        break;
    case PINSIGHT_TAKE_PAST:
        /* otherwise another thread has just taken the last one */
        if (!PINSIGHT_GET(lexgion->last_open))
            pinsight_window_end(window, PINSIGHT_CORE_WINDOW_CAUSE_MAX_NUM_TRACES);
        break;
    }
    return past(lexgion, version);
}

/* Decides on an execution that resumes and whose start was not recorded. After the window's end, it
 * is treated like a start. */
static struct pinsight_decision resume(struct pinsight_lexgion *lexgion,
                                       struct pinsight_window *window, uint32_t version) {
    struct pinsight_decision how = {0};
    if (atomic_load_explicit(&window->ended, memory_order_relaxed) ||
        PINSIGHT_GET(lexgion->last_open))
        how = past(lexgion, version);
    how.outside = false; /* its start was counted as outside */
    return how;
}

struct pinsight_decision pinsight_should_record_slow(struct pinsight_engine *engine,
                                                     struct pinsight_lexgion *lexgion,
                                                     enum pinsight_mode mode,
                                                     enum pinsight_begin begin, uint32_t version) {
    struct pinsight_decision how = {.traced = mode == PINSIGHT_MODE_TRACING,
                                    .counted = mode == PINSIGHT_MODE_MONITORING};
    if (PINSIGHT_GET(lexgion->resolved) != pinsight_config_version())
        pinsight_lexgion_resolve(engine, lexgion);
    if (PINSIGHT_GET(lexgion->filtered))
        return refuse(lexgion, version, false);
    if (PINSIGHT_GET(lexgion->over_budget) && mode == PINSIGHT_MODE_TRACING &&
        begin != PINSIGHT_RESUMES_RECORDED)
        return refuse(lexgion, version, begin == PINSIGHT_STARTS);
    pinsight_lexgion_define(engine, lexgion);
    if (mode == PINSIGHT_MODE_MONITORING || !PINSIGHT_GET(lexgion->window)) {
        if (!lexgion->ask_each)
            __atomic_store_n(&lexgion->accept_version, version, __ATOMIC_RELEASE);
        return how;
    }
    if (begin == PINSIGHT_RESUMES_RECORDED)
        return how;
    struct pinsight_window *window = enter_window(engine, lexgion);
    if (window)
        how = begin == PINSIGHT_STARTS ? take(lexgion, window, version)
                                       : resume(lexgion, window, version);
    leave_window(engine);
    return how;
}

void pinsight_lexgion_leave_out(struct pinsight_engine *engine, struct pinsight_lexgion *lexgion,
                                const char *rule) {
    struct pinsight_window_owner owner = {.domain = engine->domain, .lexgion = lexgion->id};
    const struct pinsight_window_account account = {
        .cause = PINSIGHT_CORE_WINDOW_CAUSE_BUDGET, .rule = rule, .after = "STANDBY"};
    engine->owner(lexgion, &owner);
    PINSIGHT_PUT(lexgion->over_budget, true);
    __atomic_store_n(&lexgion->accept_version, 0, __ATOMIC_RELEASE);
    pinsight_info_window_end(&owner, &account);
}

void pinsight_lexgion_last_ended(struct pinsight_engine *engine, struct pinsight_lexgion *lexgion) {
    if (!__atomic_exchange_n(&lexgion->last_open, false, __ATOMIC_RELAXED))
        return;
    struct pinsight_window *window = enter_window(engine, lexgion);
    if (window)
        pinsight_window_end(window, PINSIGHT_CORE_WINDOW_CAUSE_MAX_NUM_TRACES);
    leave_window(engine);
}

void pinsight_lexgion_collect(struct pinsight_engine *engine, struct pinsight_lexgion *lexgion) {
    if (!lexgion->dead || lexgion->in_flight)
        return;
    if (PINSIGHT_GET(lexgion->is_counted)) {
        pinsight_count_died(engine, lexgion); /* may record its counts and free it */
        return;
    }
    free_window(engine, lexgion->window);
    if (lexgion->kept)
        pinsight_count_text_free(lexgion);
    engine->free(lexgion);
}
