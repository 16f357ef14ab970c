/*
 * Requests the GIL more often than the interpreter does. A thread that waits in PyGILState_Ensure()
 * requests the GIL only after a switch interval in which the GIL was not released. A thread that
 * often releases it for a short system call has it back before the waiting thread is awake, and is
 * never asked. Therefore another thread sends the requests meanwhile.
 */
#ifndef PINSIGHT_CPYTHON_GIL_REQUEST_H
#define PINSIGHT_CPYTHON_GIL_REQUEST_H

#include "tracer/python/versions.h"

#if PINSIGHT_IS_PLAIN

static inline int pinsight_gil_request(void (*help)(void)) {
    (void)help;
    return (int)PyGILState_Ensure();
}

static inline void pinsight_gil_request_fork_child(void) {
}

#else

/* PyGILState_Ensure() for a thread of PInsight's inside the finalisation guard, without an endless
 * wait: the holder of the GIL gets repeated requests. From 3.12 on, the request may ask it to do
 * the work itself. `help` is then called in a thread that holds the GIL, without a pending
 * exception, any number of times, and even after this function has returned. Returns the argument
 * for PyGILState_Release(). */
int pinsight_gil_request(void (*help)(void));

/* Resets the state in a forked child, where there are no requests. */
void pinsight_gil_request_fork_child(void);

#endif

#endif
