/* A fault of CPython 3.11: threads with a profile function stop when a signal comes. */
#ifndef PINSIGHT_CPYTHON_FROZEN_BY_SIGNAL_H
#define PINSIGHT_CPYTHON_FROZEN_BY_SIGNAL_H

#include "domains/python/versions.h"

/* Has this version the fault, and may its insides be looked at? */
#define PINSIGHT_FREEZES_BY_SIGNALS                                                                \
    (!PINSIGHT_IS_PLAIN && PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000)

#if PINSIGHT_FREEZES_BY_SIGNALS

/*
 * Has a signal come that the main thread has not looked at, and does nobody ask for the GIL? The
 * main thread may be in C then. Every other thread is told, too (eval_breaker), can do nothing
 * about it, and normally goes on; but where it has a profile function and is about to begin a
 * function, it looks again and again, with the GIL, until the main thread comes back. What it is
 * told is worked out anew when the GIL changes hands: so a thread of ours has to take it once. Any
 * thread; reads two words.
 */
bool pinsight_signal_waits(void);

#endif

#endif
