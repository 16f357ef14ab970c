/* A fault of CPython 3.11: threads with a profile function stop when a signal arrives. */
#ifndef PINSIGHT_CPYTHON_FROZEN_BY_SIGNAL_H
#define PINSIGHT_CPYTHON_FROZEN_BY_SIGNAL_H

#include "tracer/python/versions.h"

/* True if this version has the fault and the form may read internals. */
#define PINSIGHT_FREEZES_BY_SIGNALS                                                                \
    (!PINSIGHT_IS_PLAIN && PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000)

#if PINSIGHT_FREEZES_BY_SIGNALS

/*
 * Returns whether a signal has arrived that the main thread has not handled, while no thread
 * requests the GIL. The main thread may be in C. The signal sets eval_breaker, also for other
 * threads, which cannot handle it and normally continue. A thread with a profile function that is
 * about to begin a function checks it again and again, with the GIL, until the main thread returns
 * from C. The flag is computed anew when the GIL changes hands, so a thread of PInsight must take
 * the GIL once. Any thread. Reads two words.
 */
bool pinsight_signal_waits(void);

#endif

#endif
