/*
 * Lexgions of the Python domain: what is worked out once about a code object or a callable written
 * in C and kept with it, so that an event needs no look-up.
 */
#ifndef PINSIGHT_PYTHON_LEXGION_H
#define PINSIGHT_PYTHON_LEXGION_H

#include "core/process.h"
#include "domains/python/frames.h"
#include "domains/python/versions.h"

struct pinsight_window;

struct pinsight_lexgion {
    uint32_t id;          /* number in the trace: code or callee, never reused in a process */
    uint32_t stamp;       /* of the process, when all was found in order for each execution to be
                             recorded; 0 where each is to be looked at */
    uint32_t begin_bytes; /* what an inline begin event of it takes; for a callee its name's part */
    uint32_t call_bytes;  /* what it adds to an inline c_call event as the caller */
    uint32_t slot;        /* index of its counts under MONITORING, 0 none yet */
    uint32_t in_flight;   /* entries on the threads' stacks; under the GIL */
    uint32_t defined; /* generation of the process when its definition was recorded last; 0 never */
    uint32_t resolved;    /* generation of the settings that the next ones are of; 0 never */
    uint32_t shut_stamp;  /* of the process, when nothing of it was wanted any more; 0 never */
    uint32_t quiet_stamp; /* the same, and nothing of it is under way; before CPython 3.12 */
    bool is_c;            /* a callable written in C, not a code object */
    bool dead;            /* the code object is gone; freed when the last use ends */
    bool hidden;          /* PInsight's own: nothing of it is recorded; its stamp stays 0 */
    bool leaves;          /* a call that does not come back (posix._exit); its stamp stays 0 */
    bool imports;         /* importlib's _find_and_load: what it does is an import */
    bool is_generator;    /* or a coroutine: an execution may pause and go on */
    bool filtered;        /* its module is not wanted */
    bool stands_in;       /* for many code objects that are filtered out; has no names (code.h) */
    bool some;            /* there were executions of it that were not recorded */
    bool last_open;       /* the last execution of its window runs */
    uint8_t after;        /* enum pinsight_mode: how it goes on after its window */
    struct pinsight_window *window; /* NULL where every execution is recorded */
    struct pinsight_frames *paused; /* generators whose start was recorded and that wait; or NULL */
    int32_t lineno;                 /* first line; 0 for C */
    uint32_t line_count;            /* entries of `lines` */
    int32_t *lines;       /* line of each instruction, made at the first call from this code */
    uint64_t code_id;     /* identity for the inline events */
    const char *name;     /* qualified name; owned */
    const char *filename; /* source file, "<C>" for C; owned */
    const char *module;   /* module's name; owned */
};

/* Lexgions are aligned so that a pointer to one has room for flags. */
#define PINSIGHT_LEXGION_ALIGN 32

/* A new one; takes over the three strings, which were allocated with malloc. NULL, and the strings
 * freed, when memory is short. */
struct pinsight_lexgion *pinsight_lexgion_new(bool is_c, char *name, char *filename, char *module,
                                              int32_t lineno);

/* The first of so many numbers for code objects, given to no others in this process. Any thread. */
uint32_t pinsight_code_numbers(uint32_t count);

/* Record the definition of this lexgion, which must stand before its first use, unless it was since
 * the session listens; slow path. False if nothing of it is to be recorded. */
bool pinsight_lexgion_define(struct pinsight_lexgion *lexgion);

/* Look up what the configuration in force says of it. Slow path; under the GIL. */
void pinsight_lexgion_resolve(struct pinsight_lexgion *lexgion);

/* Are there, or were there, executions of it that are not recorded? Slow path; under the GIL. */
bool pinsight_lexgion_selects(struct pinsight_lexgion *lexgion);

/* Is nothing of it wanted, as far as is known now? */
static inline bool pinsight_lexgion_is_shut(const struct pinsight_lexgion *lexgion) {
    return lexgion->shut_stamp == pinsight_stamp();
}

/* May the interpreter stop to report its ends and its going on? Not while an execution that was
 * seen to begin is under way. */
static inline bool pinsight_lexgion_is_done(const struct pinsight_lexgion *lexgion) {
    return pinsight_lexgion_is_shut(lexgion) && lexgion->in_flight == 0 &&
           !pinsight_frames_any(lexgion->paused);
}

/* The code object is gone: free the lexgion, now or when its last use ends. Holds the GIL. */
void pinsight_lexgion_retire(struct pinsight_lexgion *lexgion);

/* One use less. Frees a dead lexgion with the last one. Holds the GIL. */
void pinsight_lexgion_collect(struct pinsight_lexgion *lexgion);

/*
 * A Python string as UTF-8 that the caller frees: lone surrogates as backslash escapes, cut at a
 * length that any buffer takes. "?" where `text` is empty or no string: babeltrace2 2.0 shows an
 * empty string field as the one before it. Never leaves an exception set.
 */
char *pinsight_utf8_copy(PyObject *text);

#endif
