/*
 * dlopen(): calls pinsight_stand_in_before() with the arguments, and goes on where that says, with
 * the stack and the return address as the caller left them (System V ABI for x86-64; AAPCS64 for
 * AArch64). On other processors nothing is taken over.
 */
#include "preload/stack.h"

    .text

#if defined(__x86_64__)

    .globl dlopen
    .type dlopen, @function
    .p2align 4
dlopen:
    .cfi_startproc
    endbr64
    KEEP rdi
    KEEP rsi
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call pinsight_stand_in_before
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    GIVE_BACK rsi
    GIVE_BACK rdi
    jmp *%rax
    .cfi_endproc
    .size dlopen, .-dlopen

#elif defined(__aarch64__)

    .globl dlopen
    .type dlopen, %function
    .p2align 4
dlopen:
    .cfi_startproc
    hint #34 /* bti c */
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset 29, -32
    .cfi_offset 30, -24
    stp x0, x1, [sp, #16]
    bl pinsight_stand_in_before
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_def_cfa_offset 0
    .cfi_restore 29
    .cfi_restore 30
    br x16
    .cfi_endproc
    .size dlopen, .-dlopen

#endif

    .section .note.GNU-stack, "", %progbits
