/*
 * GCC's entry points into its OpenMP. Each is a jump through a table, and ignores the arguments. At
 * first the table leads to code that calls pinsight_gomp_choose() for the target.
 */
#include "tracer/preload/gomp/trampolines.h"
#include "tracer/preload/stack.h"

    .section .data
    .globl pinsight_gomp_targets
    .hidden pinsight_gomp_targets
    .type pinsight_gomp_targets, %object
    .p2align 6
pinsight_gomp_targets:

    .section .data.rel.ro, "aw"
    .globl pinsight_gomp_choices
    .hidden pinsight_gomp_choices
    .type pinsight_gomp_choices, %object
    .p2align 3
pinsight_gomp_choices:

    .text

    .macro ENTRY name
    .section .data
target_\name:
    .quad choose_\name
    .section .data.rel.ro, "aw"
    .quad choose_\name
    .text
    .globl \name
    .type \name, %function
    .p2align 4
    .endm

#if defined(__x86_64__)

    .macro TRAMPOLINE name
    ENTRY \name
\name:
    .cfi_startproc
    endbr64
    jmp *target_\name(%rip)
    .cfi_endproc
    .size \name, .-\name
    .p2align 4
choose_\name:
    .cfi_startproc
    endbr64
    leaq target_\name(%rip), %r11
    jmp choose
    .cfi_endproc
    .endm

    .p2align 4
    .type choose, @function
choose:
    .cfi_startproc
    KEEP_ARGUMENTS
    movq %rdi, %rdx
    movq RETURNS_TO, %rsi
    leaq pinsight_gomp_targets(%rip), %rdi
    subq %rdi, %r11
    shrq $3, %r11
    movl %r11d, %edi
    call pinsight_gomp_choose
    movq %rax, %r11
    GIVE_BACK_ARGUMENTS
    jmp *%r11
    .cfi_endproc
    .size choose, .-choose

#elif defined(__aarch64__)

    .macro TRAMPOLINE name
    ENTRY \name
\name:
    hint #34 /* bti c */
    adrp x16, target_\name
    ldr x16, [x16, :lo12:target_\name]
    br x16
    .size \name, .-\name
    .p2align 4
choose_\name:
    hint #36 /* bti j */
    adrp x17, target_\name
    add x17, x17, :lo12:target_\name
    b choose
    .endm

    .p2align 4
    .type choose, %function
choose:
    .cfi_startproc
    KEEP_ARGUMENTS
    mov x2, x0
    mov x1, x30 /* the address that the call returns to */
    adrp x0, pinsight_gomp_targets
    add x0, x0, :lo12:pinsight_gomp_targets
    sub x0, x17, x0
    lsr x0, x0, #3
    bl pinsight_gomp_choose
    mov x16, x0
    GIVE_BACK_ARGUMENTS
    br x16
    .cfi_endproc
    .size choose, .-choose

#endif

#define OUTLINED(name) TRAMPOLINE name
#define CALL(name) TRAMPOLINE name
#include "tracer/openmp/gomp_functions.def"

/* Trampolines for functions that are not in the table. Each counts, and continues. */
    .macro NEWER number
    .text
    .p2align 4
newer_\number:
#if defined(__x86_64__)
    endbr64
    lock incq pinsight_gomp_newer_calls+8*\number(%rip)
    jmp *pinsight_gomp_newer_targets+8*\number(%rip)
#elif defined(__aarch64__)
    hint #34 /* bti c */
    adrp x16, pinsight_gomp_newer_calls+8*\number
    ldr x17, [x16, :lo12:pinsight_gomp_newer_calls+8*\number]
    add x17, x17, #1
    str x17, [x16, :lo12:pinsight_gomp_newer_calls+8*\number]
    adrp x16, pinsight_gomp_newer_targets+8*\number
    ldr x16, [x16, :lo12:pinsight_gomp_newer_targets+8*\number]
    br x16
#endif
    .section .data.rel.ro, "aw"
    .quad newer_\number
    .endm

    .section .data.rel.ro, "aw"
    .p2align 3
    .globl pinsight_gomp_newer_entries
    .hidden pinsight_gomp_newer_entries
    .type pinsight_gomp_newer_entries, %object
pinsight_gomp_newer_entries:
    .irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    NEWER \number
    .endr

    .bss
    .p2align 6
    .globl pinsight_gomp_newer_targets, pinsight_gomp_newer_calls
    .hidden pinsight_gomp_newer_targets, pinsight_gomp_newer_calls
    .type pinsight_gomp_newer_targets, %object
pinsight_gomp_newer_targets:
    .zero 8*PINSIGHT_GOMP_NEWER
    .type pinsight_gomp_newer_calls, %object
pinsight_gomp_newer_calls:
    .zero 8*PINSIGHT_GOMP_NEWER

    .section .note.GNU-stack, "", %progbits
