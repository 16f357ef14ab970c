/*
 * The engine's part of a lexgion (a lexical region of code), and the decision whether an execution
 * of it is recorded.
 *
 * A domain keeps a struct pinsight_lexgion as the first member of what it knows about a region.
 * Three kinds of versions say what is still valid:
 * - the configuration's (pinsight_config_version): `resolved`, for the window and the filter;
 * - the session's (pinsight_session_version): `defined`, for the definition in the trace;
 * - the decision version, which moves on with both of them and with every change of mode
 *   (pinsight_decision_version): `accept_version` and `refuse_version`, for the decision itself, so
 *   that a hot path compares one number.
 *
 * Where several threads execute the domain's lexgions at a time (`shared` of the engine), every
 * member that changes is read with PINSIGHT_GET and written with PINSIGHT_PUT, and the window is
 * read under RCU. A domain whose callbacks all hold one lock, as Python's hold the GIL, may read
 * the members plainly.
 */
#ifndef PINSIGHT_CORE_LEXGION_H
#define PINSIGHT_CORE_LEXGION_H

#include "core/inline.h"
#include "core/process.h"
#include "core/window.h"

#include <stdbool.h>
#include <stdint.h>

struct pinsight_lexgion {
    uint32_t id;             /* number in the trace; never reused in a process */
    uint32_t accept_version; /* when each execution was found to be recorded; 0 where each is looked
                                at */
    uint32_t refuse_version; /* when no execution was wanted any more; 0 never */
    uint32_t defined;        /* session at which the definition was recorded last; 0 never */
    uint32_t resolved;  /* configuration that `filtered`, `window` and `after` are of; 0 never */
    uint32_t slot;      /* index of its counts in each thread, PINSIGHT_NO_SLOT before the first */
    uint32_t in_flight; /* uses that keep a dead one; under the domain's lock */
    uint8_t after;      /* enum pinsight_mode: how it goes on after its window */
    bool filtered;      /* the configuration leaves it out, whatever its window */
    bool last_open;     /* the last execution of its window runs */
    bool ask_each;      /* each execution is looked at: the decision versions stay 0 */
    bool dead;          /* freed when its last use ends and its counts are written */
    struct pinsight_window *window; /* NULL where every execution is recorded */
};

#define PINSIGHT_NO_SLOT UINT32_MAX
#define PINSIGHT_LEXGION_INIT(number)                                                              \
    { .id = (number), .slot = PINSIGHT_NO_SLOT }

struct pinsight_engine;

/* How an execution begins. */
enum pinsight_begin {
    PINSIGHT_STARTS,
    PINSIGHT_RESUMES,          /* it was paused, and its start was not recorded */
    PINSIGHT_RESUMES_RECORDED, /* it was paused, and its start was recorded */
};

/* What becomes of an execution. */
struct pinsight_decision {
    bool traced, counted;
    bool outside; /* to be counted as outside of its window */
    bool last;    /* of its window: pinsight_lexgion_last_ended is to be called at its end */
    bool shut;    /* nothing of the lexgion is wanted any more */
};

/* Decide by filter and window, which are looked up where the configuration is another; records the
 * definition of what is recorded. `mode` is MONITORING or TRACING; `version` is the process's, read
 * before the mode was. Slow path; any thread, or under the domain's lock where the engine is not
 * shared. */
PINSIGHT_API struct pinsight_decision
pinsight_should_record_slow(struct pinsight_engine *engine, struct pinsight_lexgion *lexgion,
                            enum pinsight_mode mode, enum pinsight_begin begin, uint32_t version);

/* Whether an execution that starts now is recorded, for a domain whose engine is shared; `lexgion`
 * may be NULL. */
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

/* The last execution of a window ended, or will not be seen to. */
PINSIGHT_API void pinsight_lexgion_last_ended(struct pinsight_engine *engine,
                                              struct pinsight_lexgion *lexgion);

/* Look up what the configuration in force says of it, unless that is known. Slow path. */
PINSIGHT_API void pinsight_lexgion_resolve(struct pinsight_engine *engine,
                                           struct pinsight_lexgion *lexgion);

/* Record its definition, which stands before its first use, unless it was since the session
 * listens. Two threads may both record it. Slow path. */
PINSIGHT_API void pinsight_lexgion_define(struct pinsight_engine *engine,
                                          struct pinsight_lexgion *lexgion);

/* Free a dead lexgion that has no use any more: at once, or when its counts were written. Under the
 * domain's lock. */
PINSIGHT_API void pinsight_lexgion_collect(struct pinsight_engine *engine,
                                           struct pinsight_lexgion *lexgion);

/* Its code is gone: it is freed, now or when its last use ends. Under the domain's lock. */
static inline void pinsight_lexgion_retire(struct pinsight_engine *engine,
                                           struct pinsight_lexgion *lexgion) {
    lexgion->dead = true;
    pinsight_lexgion_collect(engine, lexgion);
}

#endif
