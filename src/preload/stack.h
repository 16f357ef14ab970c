/* For assembly: a register that is kept on the stack, and what unwinders have to know of that. */
/* clang-format off */
#ifndef PINSIGHT_PRELOAD_STACK_H
#define PINSIGHT_PRELOAD_STACK_H

#if defined(__x86_64__)

    .macro KEEP register
    pushq %\register
    .cfi_adjust_cfa_offset 8
    .endm

    .macro GIVE_BACK register
    popq %\register
    .cfi_adjust_cfa_offset -8
    .endm

#endif

#endif
