/*
 * The domain behind a preloaded library that stands before the functions of a runtime. The first
 * call of such a function opens it.
 */
#ifndef PINSIGHT_PRELOAD_OPENING_H
#define PINSIGHT_PRELOAD_OPENING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Static in the preloaded library, zeroed. */
struct pinsight_opening {
    char *libdir;        /* the folder of PInsight's libraries; NULL if nothing is to be recorded */
    atomic_bool is_open; /* the domain has been opened, or has failed to */
    _Atomic pid_t opener; /* the process that opens it */
};

/* Finds out whether the domain of that name is to be recorded. Called in the constructor. */
void pinsight_opening_ready(struct pinsight_opening *opening, const char *domain);

/* Calls `open` with `data` in the first thread that comes here. Calls of other threads wait for two
 * seconds at most. They may hold a lock that the opening thread needs, such as the dynamic linker's
 * in a constructor. A call within `open` returns at once. Keeps errno. Any thread. */
void pinsight_opening_once(struct pinsight_opening *opening, void (*open)(void *data), void *data);

/* Returns whether pinsight_opening_once() is to be called. */
static inline bool pinsight_opening_is_due(const struct pinsight_opening *opening) {
    return opening->libdir && !atomic_load_explicit(&opening->is_open, memory_order_acquire);
}

/* Opens the recorder, and a domain's library, such as "blas" or "mpi-mpich". It stays open. Returns
 * NULL with dlerror() on failure. Any thread that may wait for the dynamic linker. */
void *pinsight_opening_library(const char *libdir, const char *name);

#endif
