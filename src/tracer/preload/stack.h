/* Macros for assembly that save registers on the stack, and describe this to unwinders.
 * KEEP_ARGUMENTS and GIVE_BACK_ARGUMENTS, around a call, are for registers that may carry arguments
 * (System V ABI for x86-64; AAPCS64 for AArch64). On x86-64, RETURNS_TO is then the address that
 * the caller's call returns to. */
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

    .macro KEEP_ARGUMENTS
    KEEP rax
    KEEP rdi
    KEEP rsi
    KEEP rdx
    KEEP rcx
    KEEP r8
    KEEP r9
    .endm

    .macro GIVE_BACK_ARGUMENTS
    GIVE_BACK r9
    GIVE_BACK r8
    GIVE_BACK rcx
    GIVE_BACK rdx
    GIVE_BACK rsi
    GIVE_BACK rdi
    GIVE_BACK rax
    .endm
#define RETURNS_TO 56(%rsp)

#elif defined(__aarch64__)

    .macro KEEP_ARGUMENTS
    stp x29, x30, [sp, #-96]!
    .cfi_def_cfa_offset 96
    .cfi_offset 29, -96
    .cfi_offset 30, -88
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    .endm

    .macro GIVE_BACK_ARGUMENTS
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp x29, x30, [sp], #96
    .cfi_def_cfa_offset 0
    .cfi_restore 29
    .cfi_restore 30
    .endm

#endif

#endif
