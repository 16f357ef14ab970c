/*
 * MPI's entry points: each is a jump through a table, and knows nothing of arguments. At first the
 * table leads to code that asks pinsight_mpi_first() where the function is to lead, with all the
 * registers that carry arguments kept (System V ABI for x86-64; AAPCS64 for AArch64).
 */
#include "preload/stack.h"
#include "trampolines.h"

    .text

#if defined(__x86_64__)

    .macro JUMP name symbol number
    .type \symbol, @function
    .p2align 4
\symbol:
    .cfi_startproc
    endbr64
    jmp *pinsight_mpi_targets+8*\number(%rip)
    .cfi_endproc
    .size \symbol, .-\symbol
    .p2align 4
first_\name:
    .cfi_startproc
    endbr64
    movl $\number, %eax
    jmp first
    .cfi_endproc
    .endm

    .p2align 4
    .type first, @function
first:
    .cfi_startproc
    KEEP rdi
    KEEP rsi
    KEEP rdx
    KEEP rcx
    KEEP r8
    KEEP r9
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    movl %eax, %edi
    movq 56(%rsp), %rsi /* the address that the call returns to */
    call pinsight_mpi_first
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    GIVE_BACK r9
    GIVE_BACK r8
    GIVE_BACK rcx
    GIVE_BACK rdx
    GIVE_BACK rsi
    GIVE_BACK rdi
    jmp *%rax
    .cfi_endproc
    .size first, .-first

#elif defined(__aarch64__)

    .macro JUMP name symbol number
    .type \symbol, %function
    .p2align 4
\symbol:
    hint #34 /* bti c */
    adrp x16, pinsight_mpi_targets+8*\number
    ldr x16, [x16, :lo12:pinsight_mpi_targets+8*\number]
    br x16
    .size \symbol, .-\symbol
    .p2align 4
first_\name:
    hint #36 /* bti j */
    mov w17, #\number
    b first
    .endm

    .p2align 4
    .type first, %function
first:
    .cfi_startproc
    stp x29, x30, [sp, #-96]!
    .cfi_def_cfa_offset 96
    .cfi_offset 29, -96
    .cfi_offset 30, -88
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    mov w0, w17
    mov x1, x30 /* the address that the call returns to */
    bl pinsight_mpi_first
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp x29, x30, [sp], #96
    br x16
    .cfi_endproc
    .size first, .-first

#endif

/* What is exported, and what is led here by pinsight_got_lead. */
    .macro TRAMPOLINE name number
    .globl \name
    JUMP \name, \name, \number
    .endm
    .macro LATE name number
    JUMP \name, late_\name, \number
    .endm

#include "mpi/trampolines.inc"

    .macro FIRST name
    .quad first_\name
    .endm
    .macro ENTRY name
    .quad late_\name
    .endm

    .data
    .globl pinsight_mpi_targets
    .hidden pinsight_mpi_targets
    .type pinsight_mpi_targets, %object
    .p2align 6
pinsight_mpi_targets:
#include "mpi/targets.inc"
    .size pinsight_mpi_targets, .-pinsight_mpi_targets

    .section .data.rel.ro, "aw"
    .globl pinsight_mpi_late
    .hidden pinsight_mpi_late
    .type pinsight_mpi_late, %object
    .p2align 3
pinsight_mpi_late:
#include "mpi/late.inc"
    .quad 0
    .size pinsight_mpi_late, .-pinsight_mpi_late

    .section .note.GNU-stack, "", %progbits
