/*
 * Lexgions of the Python domain: what is worked out once about a code object or a callable written
 * in C and kept with it, so that an event needs no look-up.
 */
#ifndef PINSIGHT_PYTHON_LEXGION_H
#define PINSIGHT_PYTHON_LEXGION_H

#include "domains/python/versions.h"

struct pinsight_lexgion {
    uint32_t id;          /* number in the trace: code or callee, never reused in a process */
    uint32_t generation;  /* of the process, when its definition was recorded last; 0 never */
    uint32_t begin_bytes; /* what an inline begin event of it takes; for a callee its name's part */
    uint32_t call_bytes;  /* what it adds to an inline c_call event as the caller */
    uint32_t slot;        /* index of its counts under MONITORING, 0 none yet */
    uint32_t in_flight;   /* entries on the threads' stacks; under the GIL */
    bool is_c;            /* a callable written in C, not a code object */
    bool dead;            /* the code object is gone; freed when the last use ends */
    bool hidden;          /* PInsight's own: nothing of it is recorded; its generation stays 0 */
    bool leaves;          /* a call that does not come back (posix._exit); its generation stays 0 */
    int32_t lineno;       /* first line; 0 for C */
    uint32_t line_count;  /* entries of `lines` */
    int32_t *lines;       /* line of each instruction, made at the first call from this code */
    uint64_t code_id;     /* identity for the inline events */
    const char *name;     /* qualified name; owned */
    const char *filename; /* source file, "<C>" for C; owned */
    const char *module;   /* module's name; owned */
};

/* Lexgions are aligned so that a pointer to one has room for flags. */
#define PINSIGHT_LEXGION_ALIGN 16

/* A new one; takes over the three strings, which were allocated with malloc. NULL, and the strings
 * freed, when memory is short. */
struct pinsight_lexgion *pinsight_lexgion_new(bool is_c, char *name, char *filename, char *module,
                                              int32_t lineno);

/* Record the definition of this lexgion, which must stand before its first use; slow path. False if
 * nothing of it is to be recorded. */
bool pinsight_lexgion_define(struct pinsight_lexgion *lexgion);

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
