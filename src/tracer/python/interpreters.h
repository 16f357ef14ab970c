/*
 * Interpreters of the process beside the main one (CPython 3.12 and later).
 *
 * Each has its own tool of sys.monitoring, its own callables, and a number in the trace. A thread
 * that runs in one has a state for it, besides the state for the main interpreter. Therefore all
 * data that an event changes is under the GIL of its interpreter. Callbacks of another interpreter
 * exchange the thread's state while they run (pinsight_interpreter_visit). Callbacks of the main
 * interpreter are not affected.
 *
 * The main interpreter takes the settings and the modes. A thread that runs in another interpreter
 * brings that interpreter to the same settings, at its next event or when it handles its pending
 * calls.
 *
 * In earlier versions, and in the plain form, other interpreters are only counted, for the message
 * that they were not recorded.
 */
#ifndef PINSIGHT_PYTHON_INTERPRETERS_H
#define PINSIGHT_PYTHON_INTERPRETERS_H

#include "tracer/python/thread.h"
#include "tracer/python/versions.h"

#include <stdbool.h>

/* Begins to handle new interpreters. Later calls do nothing. Called in the main interpreter, with
 * its GIL. */
void pinsight_interpreters_start(void);

/* Records the existing interpreters for sessions that do not know them. Any thread. */
void pinsight_interpreters_describe(void);

/* Resets the state in a forked child, whose only thread may be in another interpreter. */
void pinsight_interpreters_fork_child(struct pinsight_python_thread *home);

#if PINSIGHT_HAS_MONITORING && !PINSIGHT_IS_PLAIN

/* Called when the settings or the mode of the main interpreter have changed. Holds its GIL. */
void pinsight_interpreters_apply(void);

/* Returns the interpreter whose callback runs in this thread, or NULL for the main one. */
static inline struct pinsight_interpreter *pinsight_interpreter_here(void) {
    const struct pinsight_python_thread *thread =
        pinsight_thread_domain(pinsight_python_domain.slot);
    return thread ? thread->interpreter : NULL;
}

/* Brings an interpreter to the main interpreter's settings, unless it has them. Slow path. Holds
 * its GIL. */
void pinsight_interpreter_catch_up(struct pinsight_interpreter *interpreter);

/* Returns whether the calling thread holds the GIL that protects a state. */
bool pinsight_interpreter_holds(const struct pinsight_python_thread *thread);

/* Sets the thread's state to the state for the running interpreter, which is not the main one.
 * Returns the thread's normal state, or NULL if nothing is to be recorded. Holds the GIL. */
struct pinsight_python_thread *pinsight_interpreter_visit(void);

/* Ends pinsight_interpreter_visit(). `home` is its result. */
static inline void pinsight_interpreter_visited(struct pinsight_python_thread *home) {
    struct pinsight_tls *tls = pinsight_tls();
    if (tls->domains[pinsight_python_domain.slot]) /* not hidden meanwhile */
        tls->domains[pinsight_python_domain.slot] = home;
}

#else

static inline void pinsight_interpreters_apply(void) {
}

static inline struct pinsight_interpreter *pinsight_interpreter_here(void) {
    return NULL;
}

static inline void pinsight_interpreter_catch_up(struct pinsight_interpreter *interpreter) {
    (void)interpreter;
}

static inline bool pinsight_interpreter_holds(const struct pinsight_python_thread *thread) {
    (void)thread;
    return true;
}

#if PINSIGHT_HAS_MONITORING
/* Never called, because there are no callbacks of other interpreters. */
static inline struct pinsight_python_thread *pinsight_interpreter_visit(void) {
    return NULL;
}

static inline void pinsight_interpreter_visited(struct pinsight_python_thread *home) {
    (void)home;
}
#endif

#endif

#endif
