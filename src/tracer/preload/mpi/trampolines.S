/*
 * MPI's entry points. Each is a jump through a table, and ignores the arguments. At first the table
 * leads to code that calls pinsight_mpi_first() for the target.
 */
#include "tracer/preload/stack.h"
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
    KEEP_ARGUMENTS
    movl %eax, %edi
    movq RETURNS_TO, %rsi
    call pinsight_mpi_first
    movq %rax, %r11
    GIVE_BACK_ARGUMENTS
    jmp *%r11
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
    KEEP_ARGUMENTS
    mov w0, w17
    mov x1, x30 /* the address that the call returns to */
    bl pinsight_mpi_first
    mov x16, x0
    GIVE_BACK_ARGUMENTS
    br x16
    .cfi_endproc
    .size first, .-first

#endif

/* Exported functions, and functions that pinsight_got_redirect() redirects to. */
    .macro TRAMPOLINE name number
    .globl \name
    JUMP \name, \name, \number
    .endm
    .macro UNEXPORTED name number
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
    .globl pinsight_mpi_unexported
    .hidden pinsight_mpi_unexported
    .type pinsight_mpi_unexported, %object
    .p2align 3
pinsight_mpi_unexported:
#include "mpi/unexported.inc"
    .quad 0
    .size pinsight_mpi_unexported, .-pinsight_mpi_unexported

    .section .note.GNU-stack, "", %progbits
