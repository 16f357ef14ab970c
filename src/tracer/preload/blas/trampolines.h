/* The trampolines of BLAS and LAPACK, for the code behind them. */
#ifndef PINSIGHT_PRELOAD_BLAS_TRAMPOLINES_H
#define PINSIGHT_PRELOAD_BLAS_TRAMPOLINES_H

/* Offsets in struct pinsight_blas_frame, for trampolines.S. */
#define PINSIGHT_BLAS_FRAME_REGISTERS 0
#define PINSIGHT_BLAS_FRAME_NUMBERS 80
#define PINSIGHT_BLAS_FRAME_WORDS 144
#define PINSIGHT_BLAS_FRAME_SIZE 160

/* The functions with names, and the sets without names, each for one library (libraries.h). Every
 * trampoline takes so many bytes. */
#define PINSIGHT_BLAS_SETS 8
#define PINSIGHT_BLAS_ENTRY_BYTES 16

#ifndef __ASSEMBLER__

#include <stdint.h>

/* A call while it is open, on its stack. */
struct pinsight_blas_frame {
    uintptr_t registers[10]; /* general registers with arguments, in their order; then the result */
    double numbers[8];       /* registers with floating-point arguments; then the result */
    /* Words of arguments on the stack, an even number, if the call is observed; else -1. */
    int64_t words;
    uint64_t padding;
};

/* The code of all trampolines, in the order of sets, and of functions in a set. */
extern char pinsight_blas_entries[];

/* Called before a call goes on. `entry` is the number of the trampoline. `stack` are the arguments
 * on the stack, and `caller` is the address that the call returns to. Returns the function to call.
 * If it sets `words` to -1, the trampoline jumps there, and else it calls the function, and
 * pinsight_blas_returned() afterwards. */
void *pinsight_blas_called(struct pinsight_blas_frame *frame, unsigned entry,
                           const uintptr_t *stack, const void *caller);
void pinsight_blas_returned(void);

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
