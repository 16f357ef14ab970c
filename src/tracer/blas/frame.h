/* A call of BLAS on its stack, as a trampoline leaves it. */
#ifndef PINSIGHT_BLAS_FRAME_H
#define PINSIGHT_BLAS_FRAME_H

/* General registers that carry arguments; further arguments are on the stack. */
#if defined(__aarch64__)
#define PINSIGHT_BLAS_REGISTERS 8
#else
#define PINSIGHT_BLAS_REGISTERS 6
#endif

/* Offsets in the struct, for the trampolines: of the numbers, and of the member at the frame
 * pointer. */
#define PINSIGHT_BLAS_FRAME_NUMBERS (8 * PINSIGHT_BLAS_REGISTERS)
#define PINSIGHT_BLAS_FRAME_SIZE (PINSIGHT_BLAS_FRAME_NUMBERS + 16)

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/* A call while it is open. */
struct pinsight_blas_frame {
    uintptr_t registers[PINSIGHT_BLAS_REGISTERS]; /* arguments in their order; then the result */
    /* Registers with floating-point arguments; then the result. No function has more than two. */
    double numbers[2];
    uintptr_t outer_frame;
    const void *caller; /* the address that the call returns to */
    uintptr_t stack[];  /* the further arguments */
};

/* The function that a call goes on to. Returned in registers, on all processors. */
struct pinsight_blas_way {
    void *to;
    /* Words of arguments on the stack, an even number, if the trampoline calls the function; -1 if
     * it jumps there. */
    int64_t words;
};

_Static_assert(offsetof(struct pinsight_blas_frame, numbers) == PINSIGHT_BLAS_FRAME_NUMBERS &&
                   offsetof(struct pinsight_blas_frame, outer_frame) == PINSIGHT_BLAS_FRAME_SIZE,
               "as for the trampolines");

#endif

#endif
