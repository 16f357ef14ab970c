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

/* A call of a function, which is numbered as in generated/blas/names.inc. Valid during the begin.
 */
struct pinsight_blas_call {
    unsigned function;
    const struct pinsight_blas_frame *frame;
    const struct pinsight_blas_opened *library; /* NULL if it is not known */
};

struct pinsight_blas_handlers {
    /* Called when code outside BLAS calls it. Returns whether `end` is to be called, too. */
    bool (*begin)(const struct pinsight_blas_call *call);
    /* Called in the same thread when the call returns. */
    void (*end)(void);
};

/* Exported by libpinsight-blas.so. Called once, when a function is called for the first time. The
 * argument is a function that returns the library with a number, or NULL if there is none. Returns
 * the handlers, which are static, or NULL after a message; calls are not observed then. */
typedef const struct pinsight_blas_handlers *(*pinsight_blas_start_function)(
    const struct pinsight_blas_opened *(*library)(unsigned number));
#define PINSIGHT_BLAS_START "pinsight_blas_start"

#endif
