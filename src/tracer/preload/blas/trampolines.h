/* The trampolines of BLAS and LAPACK, for the code behind them. */
#ifndef PINSIGHT_PRELOAD_BLAS_TRAMPOLINES_H
#define PINSIGHT_PRELOAD_BLAS_TRAMPOLINES_H

#include "tracer/blas/frame.h"

/* The functions with names, and the sets without names, each for one library (libraries.h). Every
 * trampoline takes so many bytes. */
#define PINSIGHT_BLAS_SETS 8
#define PINSIGHT_BLAS_ENTRY_BYTES 16

#ifndef __ASSEMBLER__

#include <stdint.h>

/* The code of all trampolines, in the order of sets, and of functions in a set. */
extern char pinsight_blas_entries[];

/* The functions that trampolines call. Before a call goes on, `called` with the number of the
 * trampoline: it returns the function, and whether the trampoline calls it or jumps there. After a
 * call, `returned` with the same frame. */
extern struct pinsight_blas_observers {
    struct pinsight_blas_way (*_Atomic called)(struct pinsight_blas_frame *frame, unsigned entry);
    void (*_Atomic returned)(const struct pinsight_blas_frame *frame);
} pinsight_blas_observers;

/* Called before a look-up of a name goes on; the arguments are those of dlsym(), and the address
 * that it returns to. The trampoline returns `value` if `is_result` is not 0. It otherwise jumps to
 * pinsight_blas_dlsym. */
struct pinsight_blas_lookup {
    void *value;
    uintptr_t is_result;
};
struct pinsight_blas_lookup pinsight_blas_looked_up(void *handle, const char *name,
                                                    const void *caller);
extern void *(*pinsight_blas_dlsym)(void *handle, const char *name);

#endif

#endif
