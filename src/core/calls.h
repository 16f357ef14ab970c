/*
 * Domains of calls: the runtime tells of the begin and of the end of each call, in the thread that
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
 * Begins and ends come in pairs, in each thread. Where a begin was not told, because the domain was
 * OFF, neither is its end.
 */
#ifndef PINSIGHT_CORE_CALLS_H
#define PINSIGHT_CORE_CALLS_H

#include "core/link.h"
#include "core/native.h"

/* Calls within calls in one thread; those that are deeper are not recorded. */
#define PINSIGHT_CALLS_DEEPEST 16

/* A domain. Static in it; PINSIGHT_CALLS_DOMAIN makes one. */
struct pinsight_calls {
    struct pinsight_domain domain; /* first */
    struct pinsight_native native;
    struct pinsight_native_table table;
    bool (*is_heard)(void);  /* somebody listens to the domain's events */
    size_t own_bytes;        /* that the domain keeps for a thread itself; pinsight_calls_own */
    _Atomic uint32_t breaks; /* how often the runtime was told to be silent */
};

/* Make the domain known, with the configuration's mode, and start it. Returns 0; or -1: nothing is
 * recorded, and why was said. Any thread, once. */
PINSIGHT_API int pinsight_calls_start(struct pinsight_calls *calls);

/* The runtime ends: write what was counted. Any thread. */
PINSIGHT_API void pinsight_calls_stop(struct pinsight_calls *calls);

/* What stands for a kind of event that is never on: such a call has an end, and is not recorded. */
#define PINSIGHT_CALLS_NOT_WANTED 63u

/* A call begins in the calling thread. `function` is the same pointer for each call of it, and
 * lives as long as the process; `codeptr` is the address that it returns to, which may be NULL.
 * Returns whether the domain is to record that, with an event and pinsight_calls_recorded. */
PINSIGHT_API bool pinsight_calls_begin(struct pinsight_calls *calls, unsigned kind,
                                       const char *function, const void *codeptr);

/* The innermost call ends. Returns whether the domain is to record that, likewise.
 * pinsight_calls_ended follows in any case. */
PINSIGHT_API bool pinsight_calls_end(struct pinsight_calls *calls);
PINSIGHT_API void pinsight_calls_ended(struct pinsight_calls *calls);

/* An event was recorded in the calling thread. */
PINSIGHT_API void pinsight_calls_recorded(struct pinsight_calls *calls);

/* The runtime tells the calling thread, which may be one of its own, of something that is no call.
 * It may have happened long before, so the mode of now does not matter: what is wanted the domain
 * decides. Returns whether the thread can record that, likewise. */
PINSIGHT_API bool pinsight_calls_late(struct pinsight_calls *calls);

/* The runtime tells nothing from now on, or did so until now: it may have omitted ends. What is
 * open in threads is forgotten at their next calls. Any thread. */
PINSIGHT_API void pinsight_calls_break(struct pinsight_calls *calls);

/* What the domain keeps for the calling thread: `own_bytes` zeroed bytes, made at the first call;
 * freed with the thread. NULL where there is no memory or the thread ends. Keeps errno. */
PINSIGHT_API void *pinsight_calls_own(struct pinsight_calls *calls);

/* For the domain's descriptor; see struct pinsight_domain. */
PINSIGHT_API int pinsight_calls_apply_mode(struct pinsight_domain *domain, enum pinsight_mode from,
                                           const char *reason);
PINSIGHT_API void pinsight_calls_settings_changed(struct pinsight_domain *domain);
PINSIGHT_API void pinsight_calls_rotated(struct pinsight_domain *domain);
PINSIGHT_API void pinsight_calls_fork_child(struct pinsight_domain *domain,
                                            struct pinsight_core_thread *thread);
PINSIGHT_API void pinsight_calls_thread_end(struct pinsight_core_thread *thread, void *state);
PINSIGHT_API void pinsight_calls_thread_free(void *state);

/* For struct pinsight_native: take over what the configuration in force says. */
PINSIGHT_API void pinsight_calls_take_settings(struct pinsight_calls *calls);

/* The members of a domain of calls; `name` is its struct pinsight_calls, NAME its name in capitals
 * in the build's tables, and the functions are those of struct pinsight_native and pinsight_calls.
 */
#define PINSIGHT_CALLS_INIT(name, NAME, its_define, its_describe, its_line, its_heard)             \
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
                                    its_line)},                                                    \
    .table = {.lock = PTHREAD_MUTEX_INITIALIZER}, .is_heard = its_heard

/* Defines the domain `name`, after describe/NAME.h and record/NAME.h; NAME is its name in capitals.
 * The runtime, and how it is observed, are texts for the event domain_info. */
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
