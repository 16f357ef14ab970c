/*
 * The interface between the preloaded trampolines (src/tracer/preload/blas) and the domain. The two
 * are built together, and found beside each other.
 */
#ifndef PINSIGHT_BLAS_SHIM_H
#define PINSIGHT_BLAS_SHIM_H

#include "tracer/blas/frame.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A library of BLAS or LAPACK. Never freed. */
struct pinsight_blas_opened {
    unsigned number; /* from 1 on, below PINSIGHT_BLAS_LIBRARIES */
    const char *path;
    int (*threads)(void);  /* returns how many threads it uses; NULL without such a function */
    _Atomic bool left_out; /* calls bypass PInsight, because the process has too many libraries */
};
#define PINSIGHT_BLAS_LIBRARIES 32

/* The function that a call goes to, and its library, which is NULL if it is not known. */
struct pinsight_blas_found {
    void *to;
    const struct pinsight_blas_opened *library;
};

/* The trampolines' part. Constant. */
struct pinsight_blas_shim {
    /* Finds the function for a call from an address. `entry` is the number of the trampoline; its
     * rest by PINSIGHT_BLAS_FUNCTIONS is the function's number, as in generated/blas/names.inc. The
     * result is valid for the value of `closed` before the call. Keeps errno. Any thread. */
    struct pinsight_blas_found (*find)(unsigned entry, const void *caller);
    /* Returns the library with a number, or NULL if there is none. Any thread. */
    const struct pinsight_blas_opened *(*library_with)(unsigned number);
};

/* The domain's part. */
struct pinsight_blas_handlers {
    /* Called before a call goes on, instead of pinsight_blas_called() in trampolines.h. */
    struct pinsight_blas_way (*called)(struct pinsight_blas_frame *frame, unsigned entry);
    /* Called in the same thread when a call that the trampoline made returns, with its frame. */
    void (*returned)(const struct pinsight_blas_frame *frame);
    _Atomic uint32_t closed; /* how often a library may have been unloaded; written by the shim */
};

/* Exported by libpinsight-blas.so. Called once, when a function is called for the first time.
 * Returns the handlers, which are static, or NULL after a message; calls are not observed then. */
typedef struct pinsight_blas_handlers *(*pinsight_blas_start_function)(
    const struct pinsight_blas_shim *shim);
#define PINSIGHT_BLAS_START "pinsight_blas_start"

#endif
