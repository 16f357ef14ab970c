/*
 * The link from native work to the Python that caused it: a domain asks where in Python the calling
 * thread is, and the Python domain, where there is one, answers. Neither knows the other. The core
 * asks what is open, for a recorder that drops what is old.
 */
#ifndef PINSIGHT_CORE_LINK_H
#define PINSIGHT_CORE_LINK_H

#include "pinsight/pinsight.h"

#include <stdatomic.h>
#include <stdint.h>

/* Gives the number of the calling thread's whole Python call path (see the event path_info), 0
 * where the thread has no Python. Called in any thread, with or without the GIL, from native code
 * that the thread called; must not take the GIL, nor change errno. */
typedef uint32_t (*pinsight_link_provider)(void);

/* Set by the Python domain while the interpreter lives; NULL without it. */
extern PINSIGHT_API _Atomic(pinsight_link_provider) pinsight_link;

/* Records what is open in Python in the calling thread, outermost first (the events open and
 * c_open). Called in any thread, with or without the GIL, between two events of the thread. */
typedef void (*pinsight_open_teller)(void);

/* Set by the Python domain; NULL without it. */
extern PINSIGHT_API _Atomic(pinsight_open_teller) pinsight_open;

/* The calling thread's Python call path, to be recorded as py_path. Any thread. */
static inline uint32_t pinsight_link_here(void) {
    pinsight_link_provider provider = atomic_load_explicit(&pinsight_link, memory_order_acquire);
    return provider ? provider() : 0;
}

#endif
