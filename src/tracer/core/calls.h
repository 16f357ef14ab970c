/*
 * Domains of calls: the runtime reports the begin and the end of each call, in the thread that
 * makes it. A domain of this kind is one file:
 *
 *     PINSIGHT_CALLS_DOMAIN(toy, TOY, "libtoy", "TOY_TOOL")
 *
 *     static void begin(long n, const void *caller) {
 *         if (pinsight_calls_begin(&toy, PINSIGHT_TOY_KIND_SOLVE, "toy_solve", caller)) {
 *             pinsight_record_toy_toy_solve_begin(pinsight_link_here(), (uintptr_t)caller, n);
 *             pinsight_calls_recorded(&toy);
 *         }
 *     }
 *
 *     static void end(void) {
 *         if (pinsight_calls_end(&toy)) {
 *             pinsight_record_toy_toy_solve_end();
 *             pinsight_calls_recorded(&toy);
 *         }
 *         pinsight_calls_ended(&toy);
 *     }
 *
 * Begins and ends come in pairs in each thread. If the runtime does not report a begin, because the
 * domain is OFF, it must not report the end.
 */
#ifndef PINSIGHT_CORE_CALLS_H
#define PINSIGHT_CORE_CALLS_H

#include "tracer/core/link.h"
#include "tracer/core/native.h"
#include "tracer/record/table.h"

#include <stddef.h>

/* The deepest nesting of calls in a thread that is recorded. */
#define PINSIGHT_CALLS_DEEPEST 16

/* A domain of calls. Static in the domain; PINSIGHT_CALLS_DOMAIN makes one. */
struct pinsight_calls {
    struct pinsight_domain domain; /* must be the first member */
    struct pinsight_native native;
    struct pinsight_native_table table;
    bool (*has_listener)(void); /* returns whether a session listens to the domain's events */
    size_t own_bytes;           /* size of the domain's own data of a thread; pinsight_calls_own */
    _Atomic uint32_t breaks;    /* how often the runtime's reports were stopped */
};

/* A call that is open. */
struct pinsight_open_call {
    struct pinsight_native_lexgion *lexgion;
    bool recorded; /* its events are recorded */
    bool last;     /* it is the last execution of its window */
    bool counted;
    struct pinsight_counted_call counted_as;
};

/* The state of a thread. */
struct pinsight_calls_thread {
    struct pinsight_native_thread native; /* first */
    struct pinsight_calls *calls;
    uint32_t depth;  /* open calls, including those beyond the deepest */
    uint32_t breaks; /* the domain's `breaks` for which `depth` is valid */
    struct pinsight_open_call open[PINSIGHT_CALLS_DEEPEST];
    _Alignas(max_align_t) char own[]; /* the domain's own data */
};

/* Registers the domain with the configuration's mode, and starts it. Returns 0, or -1 after a
 * message; then nothing is recorded. Any thread, once. */
PINSIGHT_API int pinsight_calls_start(struct pinsight_calls *calls);

/* Called when the runtime ends. Records the counts. Any thread. */
PINSIGHT_API void pinsight_calls_stop(struct pinsight_calls *calls);

/* The approximate bytes of an event, with some fields. */
#define PINSIGHT_CALLS_EVENT_BYTES (PINSIGHT_EVENT_HEAD_BYTES + 32)

/* A kind of event that is never on. A call of this kind has an end and is not recorded. */
#define PINSIGHT_CALLS_NOT_WANTED 63u

/* Begins a call in the calling thread. `function` is the same pointer in each call of a function,
 * and lives as long as the process. `codeptr` is the return address, or NULL. If it returns true,
 * the domain records an event and calls pinsight_calls_recorded. */
PINSIGHT_API bool pinsight_calls_begin(struct pinsight_calls *calls, unsigned kind,
                                       const char *function, const void *codeptr);

/* Like pinsight_calls_begin(), for a call that is too short for events: also TRACING counts it, as
 * MONITORING does. Its end is that of any call. */
PINSIGHT_API void pinsight_calls_count(struct pinsight_calls *calls, unsigned kind,
                                       const char *function, const void *codeptr);

/* Ends the innermost call. If it returns true, the domain records an event and calls
 * pinsight_calls_recorded. pinsight_calls_ended follows in any case. */
PINSIGHT_API bool pinsight_calls_end(struct pinsight_calls *calls);
PINSIGHT_API void pinsight_calls_ended(struct pinsight_calls *calls);

/* Called after an event was recorded in the calling thread. */
PINSIGHT_API void pinsight_calls_recorded(struct pinsight_calls *calls);

/* Called when the runtime reports an event that is not a call, possibly in a thread of its own and
 * long after the event. Therefore the current mode does not matter, and the domain decides whether
 * to record it. Returns whether the thread can record an event. */
PINSIGHT_API bool pinsight_calls_can_record(struct pinsight_calls *calls);

/* Called when the runtime stops or resumes its reports. Ends may be missing, so threads discard
 * their open calls at the next call. Any thread. */
PINSIGHT_API void pinsight_calls_break(struct pinsight_calls *calls);

/* Returns the domain's own data of the calling thread: `own_bytes` bytes, which are allocated and
 * zeroed at the first call and freed with the thread. NULL without memory, or while the thread
 * ends. Keeps errno. */
PINSIGHT_API void *pinsight_calls_own(struct pinsight_calls *calls);

/* ---- quick calls ---- */

/*
 * A domain may keep the lexgions of a thread's calls itself, and record a call in fewer
 * instructions: such a call has no begin and no end here. Each is as the last one of its lexgion.
 */

/* Returns the calling thread's state. NULL before its first call, and while it is hidden. */
static inline struct pinsight_calls_thread *
pinsight_calls_thread(const struct pinsight_calls *calls) {
    return pinsight_thread_domain(calls->domain.slot);
}

/* Returns the lexgion of the thread's innermost call, which was begun here and is recorded. */
static inline struct pinsight_native_lexgion *
pinsight_calls_lexgion(const struct pinsight_calls_thread *thread) {
    return thread->open[thread->depth - 1].lexgion;
}

/* Returns whether a call is recorded, and neither counted nor the last of a window: the lexgion's
 * last call was such a call, and nothing has changed since. `listened` is whether a session listens
 * to the domain now. No library may have been unloaded meanwhile. */
static inline bool pinsight_calls_is_as_before(struct pinsight_calls *calls,
                                               const struct pinsight_calls_thread *thread,
                                               unsigned kind,
                                               const struct pinsight_native_lexgion *lexgion,
                                               bool listened) {
    return PINSIGHT_GET(lexgion->state.accept_version) == pinsight_decision_version() &&
           pinsight_domain_mode_now(&calls->domain) == PINSIGHT_MODE_TRACING &&
           pinsight_kind_is_on(&calls->native.engine, kind) && listened == thread->native.listened;
}

/* For the domain's descriptor; see struct pinsight_domain. */
PINSIGHT_API int pinsight_calls_apply_mode(struct pinsight_domain *domain, enum pinsight_mode from,
                                           const char *reason);
PINSIGHT_API void pinsight_calls_settings_changed(struct pinsight_domain *domain);
PINSIGHT_API void pinsight_calls_rotated(struct pinsight_domain *domain);
PINSIGHT_API void pinsight_calls_fork_child(struct pinsight_domain *domain,
                                            struct pinsight_core_thread *thread);
PINSIGHT_API void pinsight_calls_thread_end(struct pinsight_core_thread *thread, void *state);
PINSIGHT_API void pinsight_calls_thread_free(void *state);

/* For struct pinsight_native. Takes the settings of the current configuration. */
PINSIGHT_API void pinsight_calls_take_settings(struct pinsight_calls *calls);

/* Initialises a domain of calls. `name` is its struct pinsight_calls, and NAME its name in capitals
 * in the build's tables. The functions are those of struct pinsight_native and struct
 * pinsight_calls. */
#define PINSIGHT_CALLS_INIT(name, NAME, its_define, its_describe, its_apply, its_has_listener)     \
    .domain = {PINSIGHT_##NAME##_TABLES,                                                           \
               .record = PINSIGHT_RECORD_##NAME##_LINK,                                            \
               .apply_mode = pinsight_calls_apply_mode,                                            \
               .settings_changed = pinsight_calls_settings_changed,                                \
               .pause = pinsight_calls_settings_changed,                                           \
               .resume = pinsight_calls_settings_changed,                                          \
               .rotated = pinsight_calls_rotated,                                                  \
               .thread_end = pinsight_calls_thread_end,                                            \
               .thread_free = pinsight_calls_thread_free,                                          \
               .fork_child = pinsight_calls_fork_child},                                           \
    .native = {PINSIGHT_NATIVE_INIT(&name.domain, &name.table, its_define, its_describe,           \
                                    its_apply)},                                                   \
    .table = {.lock = PTHREAD_MUTEX_INITIALIZER}, .has_listener = its_has_listener

/* Defines the domain `name`, after describe/NAME.h and tracer/record/NAME.h; NAME is its name in
 * capitals. The runtime, and how it is observed, are texts for the event domain_info. */
#define PINSIGHT_CALLS_DOMAIN(name, NAME, its_runtime, its_mechanism)                              \
    static struct pinsight_calls name;                                                             \
    static void name##_describe(void) {                                                            \
        pinsight_native_describe(&name.native, its_runtime, its_mechanism, 0);                     \
    }                                                                                              \
    static void name##_define(const struct pinsight_lexgion *state) {                              \
        const struct pinsight_native_lexgion *lexgion =                                            \
            (const struct pinsight_native_lexgion *)state;                                         \
        if (!pinsight_record_##name##_call_info_enabled())                                         \
            return;                                                                                \
        uint64_t before = pinsight_info_before();                                                  \
        pinsight_record_##name##_call_info(pinsight_process.pid, state->id, lexgion->codeptr,      \
                                           lexgion->called, lexgion->object, lexgion->offset,      \
                                           lexgion->symbol);                                       \
        pinsight_info_after(before);                                                               \
    }                                                                                              \
    static void name##_take_settings(void) {                                                       \
        pinsight_calls_take_settings(&name);                                                       \
    }                                                                                              \
    static struct pinsight_calls name = {                                                          \
        PINSIGHT_CALLS_INIT(name, NAME, name##_define, name##_describe, name##_take_settings,      \
                            pinsight_record_##name##_call_info_enabled)};

#endif
