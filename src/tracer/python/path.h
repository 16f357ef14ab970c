/*
 * The place of a thread in Python, as one number, which other domains get through
 * tracer/core/link.h. It is read from the thread's own interpreter frames. No other thread changes
 * them while the thread is in native code. Therefore neither the GIL nor an event of Python is
 * needed.
 *
 *   path.c          the provider: compares a thread's frames with those of its last call
 *   path_thread.c   the state of each thread, and the end of all
 *   path_code.c     the code objects of paths, by address while they live
 *   path_lines.c    the lines of their instructions
 *   path_intern.c   their numbers
 *   path_tree.c     the tree of paths: from (parent, code, line) to a number
 *   path_slots.h    numbers by hash, for the two; path_pages.h has their memory
 *   path_record.c   the definitions
 *
 * Accesses to CPython's internals are in cpython/: frame.h for the frames, code_lines.h and
 * line_table.h for the line tables, code_death.h for freed code objects, string_view.h for names.
 */
#ifndef PINSIGHT_PYTHON_PATH_H
#define PINSIGHT_PYTHON_PATH_H

#include "tracer/core/link.h"
#include "tracer/python/versions.h"

#include <stdbool.h>
#include <stdint.h>

/* The most frames of a path. In a deeper thread, the path begins at the frame with this distance.
 */
#define PINSIGHT_PATH_DEEPEST 16384u

/* Begins to provide the call paths of this process's threads. Repeated calls do nothing. Holds the
 * GIL. Returns false if memory is short. */
bool pinsight_path_start(void);

/* Ends the provision for good, before the interpreter ends. Returns when no thread reads frames any
 * more. Called without the GIL. */
void pinsight_path_end(void);

/* Returns the call path of this thread, which holds the GIL; 0 in the plain form. */
static inline uint32_t pinsight_path_here(void) {
    return PINSIGHT_IS_PLAIN ? 0 : pinsight_link_here();
}

/* One frame of a path. */
struct pinsight_path_level {
    const void *code; /* the code object */
    uintptr_t at;     /* the instruction, in the form of cpython/frame.h */
    uint32_t known;   /* its index in path_code.h; 0 if memory is short */
    uint32_t birth;   /* birth of `known` */
    int32_t line;
    uint32_t path; /* from the outermost frame to here */
};

#define PINSIGHT_PATH_NO_LINE (-1) /* while the line and `known` are being looked up */

/* A thread that has asked for its path. Only the thread itself uses the fields, except for
 * `inside`. */
struct pinsight_path_thread {
    /* True while the thread reads frames. Set and cleared by the thread, and read at the end. */
    _Atomic bool inside;
    uint32_t depth;           /* levels of the last path */
    uint32_t room;            /* of both arrays */
    uint32_t session_version; /* version at which the whole path was defined; 0: not defined */
    uint64_t deaths;          /* deaths of code objects when all levels were alive */
    /* In both arrays, the innermost level is the last item. */
    struct pinsight_path_level *levels; /* the last path */
    struct pinsight_path_level *others; /* memory for a new path */
    struct pinsight_path_thread *next, *previous;
};

/* Returns the outermost level of the last path. The other levels follow. */
static inline struct pinsight_path_level *
pinsight_path_levels(const struct pinsight_path_thread *thread) {
    return thread->levels + thread->room - thread->depth;
}

/* Returns the calling thread's record, and makes it if there is none. Returns NULL if memory is
 * short. */
struct pinsight_path_thread *pinsight_path_thread(void);

/* Makes room for more levels. Returns false at the limit, or if memory is short. */
bool pinsight_path_thread_grow(struct pinsight_path_thread *thread);

/* Returns whether frames may be read. Called while `inside` is set. */
bool pinsight_path_is_open(void);

/* For path.c. The first allows threads to read frames. The second waits until no thread reads them
 * any more. */
bool pinsight_path_threads_start(void);
void pinsight_path_threads_end(void);

/* Reports once that the process has too many paths. */
void pinsight_path_too_many(void);

/* The lock of the code objects and the tree. It is held briefly, and never while an event is
 * recorded. */
void pinsight_path_lock(void);
void pinsight_path_unlock(void);

/* Records the definitions of the levels from `from` on that were not recorded since
 * `session_version`. Returns false if no session listens. The code objects belong to the calling
 * thread's frames. */
bool pinsight_path_define(struct pinsight_path_thread *thread, uint32_t from,
                          uint32_t session_version);

/* Records the definition of a known path for the present session, if it has none: an event is to
 * refer to the path although no thread is there now. Functions that were freed stay unnamed. Slow.
 * Any thread, with or without the GIL. */
void pinsight_path_define_again(uint32_t path);

#endif
