/*
 * The interface between the preloaded trampolines (src/tracer/preload/blas) and the domain. The two
 * are built together, and found beside each other.
 */
#ifndef PINSIGHT_BLAS_SHIM_H
#define PINSIGHT_BLAS_SHIM_H

#include <stdbool.h>
#include <stdint.h>

/* General registers that carry arguments; further arguments are on the stack. */
#if defined(__aarch64__)
#define PINSIGHT_BLAS_REGISTERS 8
#else
#define PINSIGHT_BLAS_REGISTERS 6
#endif

/* A call of a function, which is numbered as in generated/blas/names.inc. Valid during the begin.
 */
struct pinsight_blas_call {
    unsigned function;
    const uintptr_t *registers; /* the arguments in registers, */
    const uintptr_t *stack;     /* and those on the stack */
    const void *caller;         /* the address that the call returns to */
};

struct pinsight_blas_handlers {
    /* Called when code outside BLAS calls it. Returns whether `end` is to be called, too. */
    bool (*begin)(const struct pinsight_blas_call *call);
    /* Called in the same thread when the call returns. */
    void (*end)(void);
};

/* Exported by libpinsight-blas.so. Called once, when a function is called for the first time.
 * Returns the handlers, which are static, or NULL after a message; calls are not observed then. */
typedef const struct pinsight_blas_handlers *(*pinsight_blas_start_function)(void);
#define PINSIGHT_BLAS_START "pinsight_blas_start"

#endif
