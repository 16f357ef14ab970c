/*
 * The engine's part of a lexgion (a lexical region of code), and the decision whether an execution
 * of it is recorded.
 *
 * The domain's data of a region begins with a struct pinsight_lexgion. Versions decide which
 * members are still valid. `resolved` is the version of the configuration (pinsight_config_version)
 * that the window and the filter are from. `defined` is the version of the session
 * (pinsight_session_version) that has the definition. `accept_version` and `refuse_version` are
 * decision versions (pinsight_decision_version). A decision version increases with both others and
 * with every change of a mode, so that a hot path compares only it.
 *
 * In a shared engine, several threads execute the domain's lexgions concurrently. Every member that
 * changes is then read with PINSIGHT_GET and written with PINSIGHT_PUT, and the window is read as
 * in grace.h. If all callbacks of a domain hold one lock, like Python's hold the GIL, the domain
 * may read the members directly.
 */
#ifndef PINSIGHT_CORE_LEXGION_H
#define PINSIGHT_CORE_LEXGION_H

#include "tracer/core/inline.h"
#include "tracer/core/process.h"
#include "tracer/core/window.h"

#include <stdbool.h>
#include <stdint.h>

struct pinsight_lexgion {
    uint32_t id;             /* its number in the trace, never reused in a process */
    uint32_t accept_version; /* decision version for which each execution is recorded; 0: none */
    uint32_t refuse_version; /* decision version for which no execution is wanted; 0: none */
    uint32_t defined;        /* version of the session that has the definition; 0: none */
    /* version of the configuration of `filtered`, `window` and `after`; 0: none */
    uint32_t resolved;
    uint32_t slot;      /* index of its sums while counts are written, or PINSIGHT_NO_SLOT */
    uint32_t in_flight; /* uses that prolong its life; under the domain's lock */
    uint8_t after;      /* enum pinsight_mode in force after its window */
    bool filtered;      /* the configuration excludes it, apart from its window */
    bool last_open;     /* the last execution of its window is running */
    bool ask_each;      /* each execution is decided again; the decision versions stay 0 */
    bool dead;          /* freed when its last use ends and its counts are written */
    bool is_counted;    /* nodes of counts refer to it */
    bool over_budget;   /* left out of TRACING; see pinsight_lexgion_leave_out() */
    struct pinsight_window *window; /* NULL: every execution is recorded */
    /* The description of its counts, if they outlive the process (count_memory.h). */
    struct pinsight_persistent_block *kept;
    uint32_t kept_round; /* round of forks in which `kept` is valid */
};

#define PINSIGHT_NO_SLOT UINT32_MAX
#define PINSIGHT_LEXGION_INIT(number)                                                              \
    { .id = (number), .slot = PINSIGHT_NO_SLOT }

struct pinsight_engine;

/* The way an execution begins. */
enum pinsight_begin {
    PINSIGHT_STARTS,
    PINSIGHT_RESUMES,          /* it was paused, and its start was not recorded */
    PINSIGHT_RESUMES_RECORDED, /* it was paused, and its start was recorded */
};

/* The decision on an execution. */
struct pinsight_decision {
    bool traced, counted;
    bool outside; /* it is outside its window: neither recorded nor counted */
    bool last;    /* it is the window's last: call pinsight_lexgion_last_ended at its end */
    bool shut;    /* no further execution of the lexgion is wanted */
};

/* Decides by filter and window, and records the definition of a lexgion whose execution is
 * recorded. Looks up filter and window if the configuration has changed. `mode` is MONITORING or
 * TRACING. `version` is the decision version of the process, read before the mode. Slow path. Any
 * thread; under the domain's lock if the engine is not shared. */
PINSIGHT_API struct pinsight_decision
pinsight_should_record_slow(struct pinsight_engine *engine, struct pinsight_lexgion *lexgion,
                            enum pinsight_mode mode, enum pinsight_begin begin, uint32_t version);

/* Decides whether to record an execution that starts now, for a domain with a shared engine.
 * `lexgion` may be NULL. */
static inline struct pinsight_decision pinsight_should_record(struct pinsight_engine *engine,
                                                              struct pinsight_lexgion *lexgion,
                                                              enum pinsight_mode mode) {
    struct pinsight_decision how = {.traced = mode == PINSIGHT_MODE_TRACING,
                                    .counted = mode == PINSIGHT_MODE_MONITORING};
    if (mode != PINSIGHT_MODE_TRACING || !lexgion)
        return how;
    uint32_t version = pinsight_decision_version();
    if (PINSIGHT_GET(lexgion->accept_version) == version)
        return how;
    if (PINSIGHT_GET(lexgion->refuse_version) == version)
        return (struct pinsight_decision){.outside = true, .shut = true};
    return pinsight_should_record_slow(engine, lexgion, mode, PINSIGHT_STARTS, version);
}

/* Called when the last execution of a window has ended, or when its end will not be seen. */
PINSIGHT_API void pinsight_lexgion_last_ended(struct pinsight_engine *engine,
                                              struct pinsight_lexgion *lexgion);

/* Leaves out all executions of a lexgion that begin from now on in TRACING, because they cost too
 * much. Records this like the end of a window, with the setting `rule` as its reason. Slow path.
 * Under the domain's lock. */
PINSIGHT_API void pinsight_lexgion_leave_out(struct pinsight_engine *engine,
                                             struct pinsight_lexgion *lexgion, const char *rule);

/* Looks up the lexgion's filter and window in the current configuration, unless they are known.
 * Slow path. */
PINSIGHT_API void pinsight_lexgion_resolve(struct pinsight_engine *engine,
                                           struct pinsight_lexgion *lexgion);

/* Records the definition, before the first use, unless the session has it. Two threads may both
 * record it. Slow path. */
PINSIGHT_API void pinsight_lexgion_define(struct pinsight_engine *engine,
                                          struct pinsight_lexgion *lexgion);

/* Frees a dead lexgion without uses, at once or after its counts are written. Under the domain's
 * lock. */
PINSIGHT_API void pinsight_lexgion_collect(struct pinsight_engine *engine,
                                           struct pinsight_lexgion *lexgion);

/* Called when the code of the lexgion is freed. Frees the lexgion now or when its last use ends.
 * Under the domain's lock. */
static inline void pinsight_lexgion_retire(struct pinsight_engine *engine,
                                           struct pinsight_lexgion *lexgion) {
    lexgion->dead = true;
    pinsight_lexgion_collect(engine, lexgion);
}

#endif
