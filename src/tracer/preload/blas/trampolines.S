/*
 * The functions of BLAS and LAPACK. A trampoline knows nothing of a function's arguments but how
 * many words of them may be on the stack. If a call is observed, it copies these words and calls
 * the library's function; otherwise it jumps there. A frame pointer lets unwinders pass.
 *
 * dlsym() jumps to the next dlsym(), whose result may depend on the address that it returns to.
 */
#include "tracer/preload/blas/trampolines.h"

#include "blas/count.h"

    .text

#if defined(__x86_64__)

#define NUMBERS PINSIGHT_BLAS_FRAME_NUMBERS
#define WORDS PINSIGHT_BLAS_FRAME_WORDS

    .macro CODE number
    .p2align 4
    endbr64
    movl $\number, %eax
    jmp enter
    .endm
    .macro ENTRY name number
    .globl \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    CODE \number
    .cfi_endproc
    .size \name, .-\name
    .endm

    .macro NUMBER_REGISTERS move
    \move 0
    \move 1
    \move 2
    \move 3
    \move 4
    \move 5
    \move 6
    \move 7
    .endm
    .macro KEEP_NUMBER n
    movsd %xmm\n, NUMBERS+8*\n(%rsp)
    .endm

    .p2align 4
    .type enter, @function
enter:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rbx /* the frame */
    .cfi_offset %rbx, -24
    subq $(PINSIGHT_BLAS_FRAME_SIZE+8), %rsp
    movq %rdi, (%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    NUMBER_REGISTERS KEEP_NUMBER
    movq %rsp, %rbx
    movq %rsp, %rdi
    movl %eax, %esi
    leaq 16(%rbp), %rdx
    movq 8(%rbp), %rcx
    call pinsight_blas_called
    movq %rax, %r11
    movq WORDS(%rbx), %rcx
    testq %rcx, %rcx
    js pass
    leaq (,%rcx,8), %rax
    subq %rax, %rsp
    jmp 2f
1:  movq 8(%rbp,%rcx,8), %rax
    movq %rax, -8(%rsp,%rcx,8)
    decq %rcx
2:  testq %rcx, %rcx
    jnz 1b
    .macro GIVE_NUMBER n
    movsd NUMBERS+8*\n(%rbx), %xmm\n
    .endm
    NUMBER_REGISTERS GIVE_NUMBER
    movq (%rbx), %rdi
    movq 8(%rbx), %rsi
    movq 16(%rbx), %rdx
    movq 24(%rbx), %rcx
    movq 32(%rbx), %r8
    movq 40(%rbx), %r9
    call *%r11
    movq %rax, (%rbx)
    movq %rdx, 8(%rbx)
    movsd %xmm0, NUMBERS(%rbx)
    movsd %xmm1, NUMBERS+8(%rbx)
    call pinsight_blas_returned
    movq (%rbx), %rax
    movq 8(%rbx), %rdx
    movsd NUMBERS(%rbx), %xmm0
    movsd NUMBERS+8(%rbx), %xmm1
    movq -8(%rbp), %rbx
    leave
    .cfi_remember_state
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
    .cfi_restore %rbx
    ret
    .cfi_restore_state
pass:
    NUMBER_REGISTERS GIVE_NUMBER
    movq (%rbx), %rdi
    movq 8(%rbx), %rsi
    movq 16(%rbx), %rdx
    movq 24(%rbx), %rcx
    movq 32(%rbx), %r8
    movq 40(%rbx), %r9
    movq -8(%rbp), %rbx
    leave
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
    .cfi_restore %rbx
    jmp *%r11
    .cfi_endproc
    .size enter, .-enter

    .globl dlsym
    .type dlsym, @function
    .p2align 4
dlsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    movq 24(%rsp), %rdx
    call pinsight_blas_looked_up
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rdx, %rdx
    jnz 1f
    jmp *pinsight_blas_dlsym(%rip)
1:  ret
    .cfi_endproc
    .size dlsym, .-dlsym

#elif defined(__aarch64__)

#define NUMBERS PINSIGHT_BLAS_FRAME_NUMBERS
#define WORDS PINSIGHT_BLAS_FRAME_WORDS

    .macro CODE number
    .p2align 4
    hint #34 /* bti c */
    mov w17, #\number
    b enter
    .endm
    .macro ENTRY name number
    .globl \name
    .type \name, %function
    .p2align 4
\name:
    CODE \number
    .size \name, .-\name
    .endm

    .macro GIVE_ARGUMENTS
    ldp d0, d1, [x19, #NUMBERS]
    ldp d2, d3, [x19, #NUMBERS+16]
    ldp d4, d5, [x19, #NUMBERS+32]
    ldp d6, d7, [x19, #NUMBERS+48]
    ldp x0, x1, [x19]
    ldp x2, x3, [x19, #16]
    ldp x4, x5, [x19, #32]
    ldp x6, x7, [x19, #48]
    ldr x8, [x19, #64]
    .endm

    .p2align 4
    .type enter, %function
enter:
    .cfi_startproc
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset 29, -32
    .cfi_offset 30, -24
    str x19, [sp, #16] /* the frame */
    .cfi_offset 19, -16
    mov x29, sp
    .cfi_def_cfa_register 29
    sub sp, sp, #PINSIGHT_BLAS_FRAME_SIZE
    stp x0, x1, [sp]
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    str x8, [sp, #64]
    stp d0, d1, [sp, #NUMBERS]
    stp d2, d3, [sp, #NUMBERS+16]
    stp d4, d5, [sp, #NUMBERS+32]
    stp d6, d7, [sp, #NUMBERS+48]
    mov x19, sp
    mov x0, sp
    mov w1, w17
    add x2, x29, #32
    mov x3, x30
    bl pinsight_blas_called
    mov x16, x0
    ldr x9, [x19, #WORDS]
    tbnz x9, #63, 3f
    sub sp, sp, x9, lsl #3
    add x10, x29, #32
    b 2f
1:  sub x9, x9, #1
    ldr x11, [x10, x9, lsl #3]
    str x11, [sp, x9, lsl #3]
2:  cbnz x9, 1b
    GIVE_ARGUMENTS
    blr x16
    stp x0, x1, [x19]
    stp d0, d1, [x19, #NUMBERS]
    stp d2, d3, [x19, #NUMBERS+16]
    bl pinsight_blas_returned
    ldp x0, x1, [x19]
    ldp d0, d1, [x19, #NUMBERS]
    ldp d2, d3, [x19, #NUMBERS+16]
    mov sp, x29
    ldr x19, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_remember_state
    .cfi_def_cfa 31, 0
    .cfi_restore 19
    .cfi_restore 29
    .cfi_restore 30
    ret
    .cfi_restore_state
3:  GIVE_ARGUMENTS
    mov sp, x29
    ldr x19, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_def_cfa 31, 0
    .cfi_restore 19
    .cfi_restore 29
    .cfi_restore 30
    br x16
    .cfi_endproc
    .size enter, .-enter

    .globl dlsym
    .type dlsym, %function
    .p2align 4
dlsym:
    .cfi_startproc
    hint #34 /* bti c */
    stp x29, x30, [sp, #-32]!
    .cfi_def_cfa_offset 32
    .cfi_offset 29, -32
    .cfi_offset 30, -24
    stp x0, x1, [sp, #16]
    mov x29, sp
    mov x2, x30
    bl pinsight_blas_looked_up
    mov x9, x0
    mov x10, x1
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    .cfi_def_cfa_offset 0
    .cfi_restore 29
    .cfi_restore 30
    cbnz x10, 1f
    adrp x16, pinsight_blas_dlsym
    ldr x16, [x16, #:lo12:pinsight_blas_dlsym]
    br x16
1:  mov x0, x9
    ret
    .cfi_endproc
    .size dlsym, .-dlsym

#endif

/* The functions with names, which are set 0. */
    .hidden pinsight_blas_entries
    .globl pinsight_blas_entries
    .p2align 4
pinsight_blas_entries:
#include "blas/entries.inc"

/* The further sets. All of this code is at a function's entry, for unwinders. */
    .set entry, PINSIGHT_BLAS_FUNCTIONS
    .cfi_startproc
    .rept PINSIGHT_BLAS_FUNCTIONS * (PINSIGHT_BLAS_SETS - 1)
    CODE entry
    .set entry, entry + 1
    .endr
    .cfi_endproc

    .section .note.GNU-stack, "", %progbits
