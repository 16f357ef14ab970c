/*
 * Lexgions of the Python domain: what is worked out once about a code object or a callable written
 * in C and kept with it, so that an event needs no look-up.
 */
#ifndef PINSIGHT_PYTHON_LEXGION_H
#define PINSIGHT_PYTHON_LEXGION_H

#include "core/engine.h"
#include "domains/python/frames.h"
#include "domains/python/has_gil.h"

struct pinsight_python_lexgion {
    struct pinsight_lexgion state; /* read and written under the GIL */
    uint32_t begin_bytes; /* what an inline begin event of it takes; for a callee its name's part */
    uint32_t call_bytes;  /* what it adds to an inline c_call event as the caller */
    uint32_t
        quiet_version; /* refuse_version, when nothing of it is under way; before CPython 3.12 */
    bool is_c;         /* a callable written in C, not a code object */
    bool hidden;       /* PInsight's own: nothing of it is recorded */
    bool leaves;       /* a call that does not come back (posix._exit) */
    bool users;        /* the user's code (base/users_code.h) */
    bool bootstrap;    /* what importlib is made of */
    bool lends;        /* a loader of importlib: its caller gets its calls of C (py_compile) */
    bool imports;      /* importlib's _find_and_load: what it does is an import */
    bool schedules;    /* trio's Runner.reschedule: what its argument waited for has come */
    bool is_generator; /* or a coroutine: an execution may pause and go on */
    bool stands_in; /* for many code objects, of which nothing is recorded; has no names (code.h) */
    bool some;      /* there were executions of it that were not recorded */
    uint32_t numbered_version; /* when each execution was found to be recorded with a number, while
                                  generators are numbered: accept_version is 0 then */
    struct pinsight_frames *paused; /* generators whose start was recorded and that wait; or NULL */
    int32_t lineno;                 /* first line; 0 for C */
    uint32_t line_count;            /* entries of `lines` */
    int32_t *lines;       /* line of each instruction, made at the first call from this code */
    const void *code;     /* the code object while it lives, to compare; NULL for C */
    uint64_t code_id;     /* identity for the inline events */
    const char *name;     /* qualified name; owned */
    const char *filename; /* source file, "<C>" for C; owned */
    const char *module;   /* module's name; owned */
};

/* Lexgions are aligned so that a pointer to one has room for flags. */
#define PINSIGHT_LEXGION_ALIGN 32

/* A new one; takes over the three strings, which were allocated with malloc. NULL, and the strings
 * freed, when memory is short. */
struct pinsight_python_lexgion *pinsight_lexgion_new(bool is_c, char *name, char *filename,
                                                     char *module, int32_t lineno);

/* The first of so many numbers for code objects, given to no others in this process. Any thread. */
uint32_t pinsight_code_numbers(uint32_t count);

/* Record the definition of this lexgion, which must stand before its first use, unless it was since
 * the session listens; slow path. False if nothing of it is to be recorded. */
bool pinsight_python_define(struct pinsight_python_lexgion *lexgion);

/* Is what it calls to be recorded? Not what PInsight calls, nor, with import = modules, importlib,
 * but for its loaders: outside an import, which is aside (excluded_thread.h), they work for others.
 */
bool pinsight_lexgion_calls(const struct pinsight_python_lexgion *lexgion);

/* For the domain's engine. */
void pinsight_python_owner(const struct pinsight_lexgion *state,
                           struct pinsight_window_owner *owner);
void pinsight_python_define_now(const struct pinsight_lexgion *state);
bool pinsight_python_wanted(struct pinsight_lexgion *state);
void pinsight_python_lexgion_free(struct pinsight_lexgion *state);

/* Are there, or were there, executions of it that are not recorded? Slow path; under the GIL. */
bool pinsight_lexgion_selects(struct pinsight_python_lexgion *lexgion);

/* Counts an execution of the lexgion, or a call from it, from its begin to its end. Without a GIL
 * the first begin alone is noted, because a shared counter would slow the threads down. */
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

/* Is nothing of it wanted, as far as is known now? */
static inline bool pinsight_lexgion_is_shut(const struct pinsight_python_lexgion *lexgion) {
    return lexgion->state.refuse_version == pinsight_decision_version();
}

/* May the interpreter stop to report its ends and its going on? Not while an execution that was
 * seen to begin is under way. */
static inline bool pinsight_lexgion_is_done(const struct pinsight_python_lexgion *lexgion) {
    return pinsight_lexgion_is_shut(lexgion) && lexgion->state.in_flight == 0 &&
           !pinsight_frames_any(lexgion->paused);
}

#endif
