/*
 * One thread at a time changes the domain's data of the process. With a GIL, this is the thread
 * that holds it. A free-threaded build of CPython has no GIL, and this lock takes its place. In
 * such a build, "Holds the GIL" in a comment of this domain means: holds this lock, with an
 * attached thread state.
 *
 * A hot path takes no lock. It writes only data of its own thread. Other data that it reads is
 * complete before another thread can find it.
 */
#ifndef PINSIGHT_PYTHON_SERIAL_H
#define PINSIGHT_PYTHON_SERIAL_H

#include "tracer/core/thread.h"
#include "tracer/python/has_gil.h"

#include <stdbool.h>

#if PINSIGHT_HAS_GIL

PINSIGHT_ALWAYS_INLINE void pinsight_serial_begin(void) {
}

PINSIGHT_ALWAYS_INLINE void pinsight_serial_end(void) {
}

static inline void pinsight_serial_fork_child(void) {
}

static inline bool pinsight_serial_waits(void) {
    return false;
}

static inline unsigned pinsight_serial_let_go(void) {
    return 0;
}

static inline void pinsight_serial_take_back(unsigned depth) {
    (void)depth;
}

static inline void pinsight_alone(void (*work)(void *), void *data) {
    work(data);
}

static inline void
pinsight_each_thread_stopped(void (*visit)(struct pinsight_core_thread *, void *), void *data) {
    pinsight_thread_each(visit, data);
}

#else

/* Takes and releases the lock. The owner may take it again. A waiting thread detaches from the
 * interpreter, so that others can stop all threads meanwhile. Any thread, also one without a thread
 * state. */
void pinsight_serial_begin(void);
void pinsight_serial_end(void);

/* Returns whether the calling thread waits for the lock. Such a wait does not belong to the
 * program. */
bool pinsight_serial_waits(void);

/* Releases the lock while the thread waits for something else. Returns the depth, with which
 * pinsight_serial_take_back() takes the lock again. */
unsigned pinsight_serial_let_go(void);
void pinsight_serial_take_back(unsigned depth);

/*
 * Calls `work` while no other thread of this interpreter runs Python or a callback of ours. Then
 * `work` may change data of other threads. It must not call the interpreter. A nested call runs at
 * once. Takes the lock. The caller has an attached thread state.
 */
void pinsight_alone(void (*work)(void *), void *data);

/* Like pinsight_thread_each(), but stops the threads meanwhile. */
void pinsight_each_thread_stopped(void (*visit)(struct pinsight_core_thread *thread, void *data),
                                  void *data);

/* Makes the lock free in a forked child. */
void pinsight_serial_fork_child(void);

#endif

#endif
