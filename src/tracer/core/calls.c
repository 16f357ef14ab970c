/* Domains of calls; see calls.h. */
#include "tracer/core/calls.h"

#include "tracer/core/resolve.h"
#include "tracer/core/settings.h"
#include "tracer/record/table.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static struct pinsight_calls *calls_of(struct pinsight_domain *domain) {
    return (struct pinsight_calls *)domain; /* `domain` is the first member */
}

/* ---- threads ---- */

static struct pinsight_calls_thread *thread_there(const struct pinsight_calls *calls) {
    struct pinsight_core_thread *core = pinsight_thread_there();
    return core ? core->state[calls->domain.slot] : NULL;
}

static struct pinsight_calls_thread *thread_new(struct pinsight_calls *calls) {
    struct pinsight_core_thread *core = pinsight_thread_get();
    struct pinsight_calls_thread *thread =
        core ? calloc(1, sizeof *thread + calls->own_bytes) : NULL;
    if (!thread)
        return NULL;
    thread->calls = calls;
    thread->breaks = atomic_load(&calls->breaks);
    thread->native.engine.core = core;
    pinsight_thread_set_domain(core, calls->domain.slot, thread);
    pinsight_native_thread_seen(&calls->native, &thread->native, core->tid);
    return thread;
}

void pinsight_calls_thread_end(struct pinsight_core_thread *core, void *state) {
    struct pinsight_calls_thread *thread = state;
    (void)core;
    pinsight_engine_thread_end(&thread->calls->native.engine, &thread->native.engine);
}

void pinsight_calls_thread_free(void *state) {
    free(state);
}

/* ---- modes ---- */

void pinsight_calls_take_settings(struct pinsight_calls *calls) {
    uint32_t config_version = pinsight_config_version();
    atomic_store(&calls->native.engine.kinds, pinsight_resolve_events(&calls->domain));
    atomic_store(&calls->native.engine.config_version, config_version);
}

int pinsight_calls_apply_mode(struct pinsight_domain *domain, enum pinsight_mode from,
                              const char *reason) {
    (void)reason;
    return pinsight_native_apply_mode(&calls_of(domain)->native, from);
}

void pinsight_calls_settings_changed(struct pinsight_domain *domain) {
    pinsight_native_settings_changed(&calls_of(domain)->native);
}

void pinsight_calls_rotated(struct pinsight_domain *domain) {
    pinsight_native_rotated(&calls_of(domain)->native);
}

void pinsight_calls_fork_child(struct pinsight_domain *domain,
                               struct pinsight_core_thread *thread) {
    (void)thread;
    pinsight_native_fork_child(&calls_of(domain)->native);
}

/* ---- start and end ---- */

int pinsight_calls_start(struct pinsight_calls *calls) {
    if (pinsight_native_register(&calls->native) != 0)
        return -1;
    pinsight_native_start(&calls->native);
    return 0;
}

void pinsight_calls_stop(struct pinsight_calls *calls) {
    pinsight_native_ends(&calls->native);
}

/* ---- calls ---- */

static void look_who_listens(struct pinsight_calls *calls, struct pinsight_calls_thread *thread) {
    if (calls->has_listener() != thread->native.listened)
        pinsight_native_listeners_changed(&calls->native, &thread->native, calls->has_listener());
}

/* Returns whether the runtime may have omitted ends of the thread's open calls. */
static inline bool is_broken(const struct pinsight_calls *calls,
                             const struct pinsight_calls_thread *thread) {
    return PINSIGHT_UNLIKELY(thread->breaks !=
                             atomic_load_explicit(&calls->breaks, memory_order_relaxed));
}

/* Discards the open calls if the runtime may have omitted ends. */
static PINSIGHT_COLD void forget_open(struct pinsight_calls *calls,
                                      struct pinsight_calls_thread *thread) {
    if (!is_broken(calls, thread))
        return;
    thread->breaks = atomic_load_explicit(&calls->breaks, memory_order_relaxed);
    uint32_t open = thread->depth < PINSIGHT_CALLS_DEEPEST ? thread->depth : PINSIGHT_CALLS_DEEPEST;
    for (thread->depth = 0; open--;) {
        struct pinsight_open_call *call = &thread->open[open];
        if (call->counted)
            pinsight_count_end(&thread->native.engine, &call->counted_as, pinsight_clock_ticks());
        if (call->last)
            pinsight_lexgion_last_ended(&calls->native.engine, &call->lexgion->state);
        pinsight_add(&thread->native.engine.lost_frames, call->recorded);
    }
}

/* Decides whether a call is recorded or counted, in a mode above STANDBY. `most` is the highest
 * mode that applies to it. */
static void decide(struct pinsight_calls *calls, struct pinsight_calls_thread *thread,
                   struct pinsight_open_call *call, unsigned kind, const char *function,
                   const void *codeptr, enum pinsight_mode most) {
    struct pinsight_engine *engine = &calls->native.engine;
    look_who_listens(calls, thread);
    if (pinsight_is_paused(&calls->domain))
        pinsight_native_wait(&calls->native, &thread->native);
    enum pinsight_mode mode = pinsight_domain_mode(&calls->domain);
    if (mode < PINSIGHT_MODE_MONITORING || !pinsight_kind_is_on(engine, kind))
        return;
    mode = mode < most ? mode : most;
    call->lexgion = pinsight_native_lexgion_find_called(&calls->native, &thread->native.cache,
                                                        codeptr, function);
    struct pinsight_decision how =
        pinsight_should_record(engine, pinsight_native_state(call->lexgion), mode);
    pinsight_add(&thread->native.engine.outside, how.outside);
    call->recorded = how.traced;
    call->last = how.last;
    call->counted = how.counted && call->lexgion;
    if (call->counted)
        pinsight_count_begin(engine, &thread->native.engine, &call->counted_as,
                             &call->lexgion->state, 0);
}

/* Begins a call of any kind and in any mode. */
static __attribute__((noinline)) bool begin(struct pinsight_calls *calls, unsigned kind,
                                            const char *function, const void *codeptr,
                                            enum pinsight_mode most) {
    bool is_on = pinsight_domain_mode_now(&calls->domain) > PINSIGHT_MODE_STANDBY;
    struct pinsight_calls_thread *thread = thread_there(calls);
    int error = errno;
    if (!thread && is_on)
        thread = thread_new(calls);
    if (!thread)
        return false;
    forget_open(calls, thread);
    if (thread->depth++ >= PINSIGHT_CALLS_DEEPEST)
        return false;
    struct pinsight_open_call *call = &thread->open[thread->depth - 1];
    call->recorded = call->last = call->counted = false;
    if (is_on)
        decide(calls, thread, call, kind, function, codeptr, most);
    errno = error;
    if (call->recorded)
        pinsight_native_record(&calls->native, &thread->native);
    return call->recorded;
}

/* Begins a call without a change since the last one at its place that was recorded. Returns false
 * without effect if begin() has to decide. */
static inline bool begin_as_before(struct pinsight_calls *calls, unsigned kind,
                                   const char *function, const void *codeptr) {
    struct pinsight_calls_thread *thread = thread_there(calls);
    if (!thread || is_broken(calls, thread) || thread->depth >= PINSIGHT_CALLS_DEEPEST)
        return false;
    struct pinsight_native_lexgion *lexgion =
        pinsight_native_lexgion_known(&thread->native.cache, codeptr, function);
    if (!lexgion ||
        !pinsight_calls_is_as_before(calls, thread, kind, lexgion, calls->has_listener()))
        return false;
    struct pinsight_open_call *call = &thread->open[thread->depth++];
    call->lexgion = lexgion;
    call->recorded = true;
    call->last = call->counted = false;
    pinsight_native_record(&calls->native, &thread->native);
    return true;
}

bool pinsight_calls_begin(struct pinsight_calls *calls, unsigned kind, const char *function,
                          const void *codeptr) {
    return PINSIGHT_LIKELY(begin_as_before(calls, kind, function, codeptr)) ||
           begin(calls, kind, function, codeptr, PINSIGHT_MODE_TRACING);
}

void pinsight_calls_count(struct pinsight_calls *calls, unsigned kind, const char *function,
                          const void *codeptr) {
    begin(calls, kind, function, codeptr, PINSIGHT_MODE_MONITORING);
}

bool pinsight_calls_end(struct pinsight_calls *calls) {
    struct pinsight_calls_thread *thread = thread_there(calls);
    if (thread && is_broken(calls, thread))
        forget_open(calls, thread);
    if (!thread || !thread->depth || thread->depth > PINSIGHT_CALLS_DEEPEST ||
        !thread->open[thread->depth - 1].recorded)
        return false;
    pinsight_native_record(&calls->native, &thread->native);
    return true;
}

/* Ends a call that is counted, or the last of its window. */
static __attribute__((noinline)) void end_of(struct pinsight_calls *calls,
                                             struct pinsight_calls_thread *thread,
                                             struct pinsight_open_call *call) {
    int error = errno;
    if (call->counted)
        pinsight_count_end(&thread->native.engine, &call->counted_as, pinsight_clock_ticks());
    if (call->last)
        pinsight_lexgion_last_ended(&calls->native.engine, &call->lexgion->state);
    errno = error;
}

void pinsight_calls_ended(struct pinsight_calls *calls) {
    struct pinsight_calls_thread *thread = thread_there(calls);
    if (!thread || !thread->depth || thread->depth-- > PINSIGHT_CALLS_DEEPEST)
        return;
    struct pinsight_open_call *call = &thread->open[thread->depth];
    if (call->counted || call->last)
        end_of(calls, thread, call);
}

void pinsight_calls_recorded(struct pinsight_calls *calls) {
    struct pinsight_calls_thread *thread = thread_there(calls);
    pinsight_native_recorded(&calls->native, &thread->native, PINSIGHT_CALLS_EVENT_BYTES);
}

bool pinsight_calls_can_record(struct pinsight_calls *calls) {
    struct pinsight_calls_thread *thread = thread_there(calls);
    int error = errno;
    if (!thread)
        thread = thread_new(calls);
    if (thread)
        look_who_listens(calls, thread);
    errno = error;
    if (!thread)
        return false;
    pinsight_native_record(&calls->native, &thread->native);
    return true;
}

void pinsight_calls_break(struct pinsight_calls *calls) {
    atomic_fetch_add(&calls->breaks, 1);
}

void *pinsight_calls_own(struct pinsight_calls *calls) {
    struct pinsight_calls_thread *thread = thread_there(calls);
    int error = errno;
    if (!thread)
        thread = thread_new(calls);
    errno = error;
    return thread ? thread->own : NULL;
}
