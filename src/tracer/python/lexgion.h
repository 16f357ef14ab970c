/*
 * Lexgions of the Python domain. Data about a code object or a C callable are computed once and
 * kept with it, so that an event needs no look-up.
 */
#ifndef PINSIGHT_PYTHON_LEXGION_H
#define PINSIGHT_PYTHON_LEXGION_H

#include "tracer/core/engine.h"
#include "tracer/python/frames.h"
#include "tracer/python/has_gil.h"

struct pinsight_python_lexgion {
    struct pinsight_lexgion state; /* read and written under the GIL */
    uint32_t begin_bytes;   /* size of an inline begin event; for a callee, the part for its name */
    uint32_t call_bytes;    /* bytes that it adds to an inline c_call event as the caller */
    uint32_t quiet_version; /* refuse_version if no execution is open; before CPython 3.12 */
    bool is_c;              /* a callable written in C, not a code object */
    bool hidden;            /* PInsight's own: never recorded */
    bool leaves;            /* a function that does not return (posix._exit) */
    bool users;             /* the user's code (base/users_code.h) */
    bool bootstrap;         /* a part of importlib */
    bool lends;        /* a loader of importlib, whose C calls count for its caller (py_compile) */
    bool imports;      /* importlib's _find_and_load: an execution is an import */
    bool schedules;    /* trio's Runner.reschedule: the wait of its argument has ended */
    bool renames;      /* the setter of threading.Thread.name (thread_name.h) */
    uint8_t span;      /* enum pinsight_span_code (spans.h) */
    bool is_generator; /* a generator or coroutine, whose executions can pause */
    bool stands_in; /* shared by many code objects that are not recorded; has no names (code.h) */
    bool some;      /* some executions were not recorded */
    /* Decision version at which every execution is recorded with a number, while generators are
     * numbered. accept_version is then 0. */
    uint32_t numbered_version;
    struct pinsight_frames *paused; /* paused generators whose start was recorded; or NULL */
    int32_t lineno;                 /* first line; 0 for C */
    uint32_t line_count;            /* entries of `lines` */
    int32_t *lines; /* line of each instruction, made at the first call from this code */
    struct pinsight_line_counts *line_counts; /* if its lines are measured (lines.h), or NULL */
    const void *code;     /* the code object while it lives; only compared; NULL for C */
    uint64_t code_id;     /* identity in inline events */
    const char *name;     /* qualified name; owned */
    const char *filename; /* source file, or "<C>"; owned */
    const char *module;   /* name of the module; owned */
};

/* Lexgions are aligned so that a pointer to one has spare bits for flags. */
#define PINSIGHT_LEXGION_ALIGN 32

/* Makes a lexgion. Takes ownership of the three strings, which were allocated with malloc(). If
 * memory is short, frees the strings and returns NULL. */
struct pinsight_python_lexgion *pinsight_lexgion_new(bool is_c, char *name, char *filename,
                                                     char *module, int32_t lineno);

/* Reserves numbers for `count` code objects. Returns the first. Any thread. */
uint32_t pinsight_code_numbers(uint32_t count);

/* Records the definition of a lexgion, unless it was recorded since the session listens. The
 * definition must precede the first use. Slow path. Returns false if the lexgion is never recorded.
 */
bool pinsight_python_define(struct pinsight_python_lexgion *lexgion);

/* Returns whether calls by a lexgion's function are to be recorded. Calls by PInsight are not. With
 * import = modules, calls by importlib are not, except those of its loaders, which work for others
 * outside of an import. */
bool pinsight_lexgion_calls(const struct pinsight_python_lexgion *lexgion);

/* A callback of the engine. */
void pinsight_python_owner(const struct pinsight_lexgion *state,
                           struct pinsight_window_owner *owner);
void pinsight_python_define_now(const struct pinsight_lexgion *state);
bool pinsight_python_wanted(struct pinsight_lexgion *state);
void pinsight_python_lexgion_free(struct pinsight_lexgion *state);

/* Returns whether some executions of a lexgion are not or were not recorded. Slow path. Under the
 * GIL. */
bool pinsight_lexgion_selects(struct pinsight_python_lexgion *lexgion);

/* Counts an execution of the lexgion, or a call from it, from its begin to its end. Without a GIL,
 * only the first begin is noted, because a shared counter would slow the threads down. */
PINSIGHT_ALWAYS_INLINE void pinsight_lexgion_begun(struct pinsight_python_lexgion *lexgion) {
#if PINSIGHT_HAS_GIL
    lexgion->state.in_flight++;
#else
    if (PINSIGHT_UNLIKELY(!PINSIGHT_GET(lexgion->state.in_flight)))
        PINSIGHT_PUT(lexgion->state.in_flight, 1);
#endif
}

PINSIGHT_ALWAYS_INLINE void pinsight_lexgion_ended(struct pinsight_python_lexgion *lexgion) {
#if PINSIGHT_HAS_GIL
    lexgion->state.in_flight--;
#else
    (void)lexgion;
#endif
}

/* Called when the code object or the callable is freed. Frees the lexgion after its last execution.
 * Without a GIL the lexgion stays, because another thread may read it. Holds the GIL. */
void pinsight_python_retire(struct pinsight_python_lexgion *lexgion);

/* Returns the number of entries of `lines`. A caller asks for it before it reads `lines`. */
PINSIGHT_ALWAYS_INLINE uint32_t pinsight_line_count(const struct pinsight_python_lexgion *lexgion) {
    return __atomic_load_n(&lexgion->line_count,
                           PINSIGHT_HAS_GIL ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE);
}

/* Returns the decision version for which each execution is recorded. A caller asks for it before it
 * reads the lexgion's number. */
PINSIGHT_ALWAYS_INLINE uint32_t
pinsight_accept_version(const struct pinsight_python_lexgion *lexgion) {
    return PINSIGHT_HAS_GIL ? lexgion->state.accept_version
                            : __atomic_load_n(&lexgion->state.accept_version, __ATOMIC_ACQUIRE);
}

/* Returns whether no execution is wanted, under the current settings. */
static inline bool pinsight_lexgion_is_shut(const struct pinsight_python_lexgion *lexgion) {
    return lexgion->state.refuse_version == pinsight_decision_version();
}

/* Returns whether the interpreter may stop reporting ends and resumptions. It must not while an
 * observed execution is open. */
static inline bool pinsight_lexgion_is_done(const struct pinsight_python_lexgion *lexgion) {
    return pinsight_lexgion_is_shut(lexgion) && lexgion->state.in_flight == 0 &&
           !pinsight_frames_any(lexgion->paused);
}

#endif
