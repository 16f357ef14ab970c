/*
 * Asking for the GIL as a waiter with a patience of its own: a thread that waits in
 * PyGILState_Ensure asks for the GIL only after a switch interval in which nobody let go of it. One
 * that lets go of it more often for a moment, for a system call, has it back before who waits is
 * awake, and is never asked. So somebody else asks meanwhile.
 */
#ifndef PINSIGHT_CPYTHON_GIL_REQUEST_H
#define PINSIGHT_CPYTHON_GIL_REQUEST_H

#include "domains/python/versions.h"

#if PINSIGHT_IS_PLAIN

static inline int pinsight_gil_request(void (*help)(void)) {
    (void)help;
    return (int)PyGILState_Ensure();
}

static inline void pinsight_gil_request_fork_child(void) {
}

#else

/* PyGILState_Ensure for a thread of ours that is inside the finalisation guard, but not for ever:
 * whoever has the GIL is asked for it again and again. From 3.12 on it may be told to do the work
 * itself: `help` is then called in a thread that holds the GIL, with any error of its own set
 * aside, any number of times, also after this returned. Returns what PyGILState_Release wants. */
int pinsight_gil_request(void (*help)(void));

/* In a forked child: nobody asks. */
void pinsight_gil_request_fork_child(void);

#endif

#endif
