/*
 * Where in Python a thread is, as one number: what this domain offers to the others through
 * core/link.h. It is read from the thread's own interpreter frames, which nobody else changes while
 * the thread is in native code, so it needs no GIL, and no event of Python's.
 *
 * path.c          the provider: a thread's frames against those of its last call
 * path_thread.c   what is kept for each thread, and the end of all
 * path_code.c     the code objects that paths name, found by address while they live
 * path_lines.c    the lines of their instructions
 * path_intern.c   their numbers
 * path_tree.c     the tree of paths: (parent, code, line) to number
 * path_slots.h    numbers by hash, for the two; path_pages.h, their memory
 * path_record.c   the definitions
 *
 * What is read of CPython's insides is in cpython/: frame.h has the frames, code_lines.h and
 * line_table.h the line tables, code_death.h the code objects that go, string_view.h the names.
 */
#ifndef PINSIGHT_PYTHON_PATH_H
#define PINSIGHT_PYTHON_PATH_H

#include "core/link.h"
#include "domains/python/versions.h"

#include <stdbool.h>
#include <stdint.h>

/* A path is that of the innermost so many frames; a thread that is deeper is taken to begin there.
 */
#define PINSIGHT_PATH_DEEPEST 16384u

/* Offer the call paths of this process's threads. Again does nothing. Holds the GIL. False where
 * memory is short. */
bool pinsight_path_start(void);

/* Offer them no more, for the interpreter is about to end: comes back when no thread reads frames
 * any more. For good. Without the GIL. */
void pinsight_path_end(void);

/* The call path that this thread, which holds the GIL, is in; 0 where the form has none. */
static inline uint32_t pinsight_path_here(void) {
    return PINSIGHT_IS_PLAIN ? 0 : pinsight_link_here();
}

/* One frame of a path. */
struct pinsight_path_level {
    const void *code; /* the code object */
    uintptr_t at;     /* the instruction, as cpython/frame.h gives it */
    uint32_t known;   /* what path_code.h has of it; 0 where memory is short */
    uint32_t birth;   /* of `known` */
    int32_t line;
    uint32_t path; /* from the outermost frame to here */
};

#define PINSIGHT_PATH_NO_LINE (-1) /* while it and `known` are looked for */

/* A thread that asked. All but `inside` is the thread's own. */
struct pinsight_path_thread {
    /* The thread reads frames; set and taken back by the thread, looked at by the end. */
    _Atomic bool inside;
    uint32_t depth;           /* levels of the last path */
    uint32_t room;            /* of both arrays */
    uint32_t session_version; /* at which all of it was defined; 0 where it was not */
    uint64_t deaths;          /* of code objects, when the levels were all alive */
    /* Both end with the innermost level. */
    struct pinsight_path_level *levels; /* the last path */
    struct pinsight_path_level *others; /* to collect one in */
    struct pinsight_path_thread *next, *previous;
};

/* The outermost level of the last path; the others follow. */
static inline struct pinsight_path_level *
pinsight_path_levels(const struct pinsight_path_thread *thread) {
    return thread->levels + thread->room - thread->depth;
}

/* The calling thread's record; makes it. NULL where memory is short. */
struct pinsight_path_thread *pinsight_path_thread(void);

/* Make room for more levels; false at the bound, and where memory is short. */
bool pinsight_path_thread_grow(struct pinsight_path_thread *thread);

/* May frames be read? To be asked while `inside` is set. */
bool pinsight_path_is_open(void);

/* Begin and end, for path.c: frames may be read from now on; no thread reads them any more. */
bool pinsight_path_threads_start(void);
void pinsight_path_threads_end(void);

/* Say once that there are more paths than there is room for. */
void pinsight_path_too_many(void);

/* The lock over the code objects and the tree. Held for short, never while something is recorded.
 */
void pinsight_path_lock(void);
void pinsight_path_unlock(void);

/* Record the definitions of the levels from `from` on that were not recorded since
 * `session_version`; false where nobody takes them. The code objects are those of the calling
 * thread's frames. */
bool pinsight_path_define(struct pinsight_path_thread *thread, uint32_t from,
                          uint32_t session_version);

#endif
