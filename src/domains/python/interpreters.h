/*
 * Interpreters of the process beside the main one (CPython 3.12 and later).
 *
 * Each has a tool of sys.monitoring of its own, callables of its own, and a number in the trace. A
 * thread that runs in one has a state for it beside the main one's, so that all that an event
 * changes is under the GIL of its interpreter, which may be one of its own. Callbacks of another
 * interpreter exchange the thread's state while they run (pinsight_interpreter_visit): those of the
 * main one know nothing of it.
 *
 * The main interpreter takes the settings and the modes. Each other one is brought into line by a
 * thread that runs in it: at its next event, or when it looks at its pending calls.
 *
 * On earlier versions, and in the plain form, they are only counted, to say that they were not
 * recorded.
 */
#ifndef PINSIGHT_PYTHON_INTERPRETERS_H
#define PINSIGHT_PYTHON_INTERPRETERS_H

#include "domains/python/thread.h"
#include "domains/python/versions.h"

#include <stdbool.h>

/* See to interpreters that are made from now on. Once; later calls do nothing. In the main
 * interpreter, with its GIL. */
void pinsight_interpreters_start(void);

/* Record again which there are, where a session does not know. Any thread. */
void pinsight_interpreters_describe(void);

/* In a forked child: its one thread may be in one of them. */
void pinsight_interpreters_fork_child(struct pinsight_python_thread *home);

#if PINSIGHT_HAS_MONITORING && !PINSIGHT_IS_PLAIN

/* The main interpreter was brought into other settings or another mode. Holds its GIL. */
void pinsight_interpreters_apply(void);

/* The one whose callback runs in this thread; NULL in the main one's. */
static inline struct pinsight_interpreter *pinsight_interpreter_here(void) {
    const struct pinsight_python_thread *thread =
        pinsight_thread_domain(pinsight_python_domain.slot);
    return thread ? thread->interpreter : NULL;
}

/* Bring it into line; nothing is done where it is. Slow path; holds its GIL. */
void pinsight_interpreter_catch_up(struct pinsight_interpreter *interpreter);

/* Is this state under the GIL that the calling thread holds? */
bool pinsight_interpreter_holds(const struct pinsight_python_thread *thread);

/* The thread's state becomes that of the interpreter that runs in it, which is not the main one.
 * Returns the one that it has otherwise; NULL where nothing is to be recorded. Holds the GIL. */
struct pinsight_python_thread *pinsight_interpreter_visit(void);

/* After it; `home` is what it returned. */
static inline void pinsight_interpreter_visited(struct pinsight_python_thread *home) {
    struct pinsight_tls *tls = pinsight_tls();
    if (tls->domains[pinsight_python_domain.slot]) /* not put aside meanwhile */
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
/* Never called: there are no callbacks of others. */
static inline struct pinsight_python_thread *pinsight_interpreter_visit(void) {
    return NULL;
}

static inline void pinsight_interpreter_visited(struct pinsight_python_thread *home) {
    (void)home;
}
#endif

#endif

#endif
