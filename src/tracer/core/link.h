/*
 * The link from native work to the Python that caused it. A domain asks where in Python the calling
 * thread is. The Python domain answers if the process has one. Neither knows the other. The core
 * also asks for the open calls, for a recorder that removes old events.
 */
#ifndef PINSIGHT_CORE_LINK_H
#define PINSIGHT_CORE_LINK_H

#include "pinsight/pinsight.h"

#include <stdatomic.h>
#include <stdint.h>

/* Returns the number of the calling thread's Python call path (see the event path_info), 0 if the
 * thread has no Python. Called in any thread, with or without the GIL, from native code that the
 * thread called. Must neither take the GIL nor change errno. */
typedef uint32_t (*pinsight_link_provider)(void);

/* Set by the Python domain while the interpreter lives; NULL without it. */
extern PINSIGHT_API _Atomic(pinsight_link_provider) pinsight_link;

/* Records the open Python calls of the calling thread, outermost first (the events open and
 * c_open). Called in any thread, with or without the GIL, between two events of the thread. */
typedef void (*pinsight_open_recorder)(void);

/* Set by the Python domain; NULL without it. */
extern PINSIGHT_API _Atomic(pinsight_open_recorder) pinsight_open;

/* Returns the calling thread's Python call path, for the field py_path. Any thread. */
static inline uint32_t pinsight_link_here(void) {
    pinsight_link_provider provider = atomic_load_explicit(&pinsight_link, memory_order_acquire);
    return provider ? provider() : 0;
}

#endif
