/*
 * The functions of BLAS and LAPACK. A trampoline knows nothing of a function's arguments but how
 * many words of them may be on the stack. If a call is observed, it copies these words and calls
 * the library's function; otherwise it jumps there. A frame pointer lets unwinders pass.
 *
 * dlsym() jumps to the next dlsym(), whose result may depend on the address that it returns to.
 */
#include "tracer/preload/blas/trampolines.h"

#include "blas/count.h"

#define NUMBERS PINSIGHT_BLAS_FRAME_NUMBERS
#define SIZE PINSIGHT_BLAS_FRAME_SIZE

    .macro FUNCTION name
    .type \name, %function
    .p2align 4
\name:
    .cfi_startproc
    .endm
    .macro END name
    .cfi_endproc
    .size \name, .-\name
    .endm
    .macro ENTRY name number
    .globl \name
    FUNCTION \name
    CODE \number
    END \name
    .endm

    .text

#if defined(__x86_64__)

    .macro CODE number
    .p2align 4
    endbr64
    movl $\number, %eax
    jmp enter
    .endm

    .macro GIVE_ARGUMENTS
    movq -SIZE(%rbp), %rdi
    movq -SIZE+8(%rbp), %rsi
    movq -SIZE+16(%rbp), %rdx
    movq -SIZE+24(%rbp), %rcx
    movq -SIZE+32(%rbp), %r8
    movq -SIZE+40(%rbp), %r9
    movsd -SIZE+NUMBERS(%rbp), %xmm0
    movsd -SIZE+NUMBERS+8(%rbp), %xmm1
    .endm
    .macro LEAVE_FRAME
    leave
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
    .endm

    FUNCTION enter
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $SIZE, %rsp
    movq %rdi, (%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movsd %xmm0, NUMBERS(%rsp)
    movsd %xmm1, NUMBERS+8(%rsp)
    movq %rsp, %rdi
    movl %eax, %esi
    call *pinsight_blas_observers(%rip)
    movq %rax, %r11
    testq %rdx, %rdx
    js 3f
    jz 2f
1:  pushq 8(%rbp,%rdx,8)
    pushq (%rbp,%rdx,8)
    subq $2, %rdx
    jnz 1b
2:  GIVE_ARGUMENTS
    call *%r11
    movq %rax, -SIZE(%rbp)
    movq %rdx, -SIZE+8(%rbp)
    movsd %xmm0, -SIZE+NUMBERS(%rbp)
    movsd %xmm1, -SIZE+NUMBERS+8(%rbp)
    leaq -SIZE(%rbp), %rdi
    call *pinsight_blas_observers+8(%rip)
    movq -SIZE(%rbp), %rax
    movq -SIZE+8(%rbp), %rdx
    movsd -SIZE+NUMBERS(%rbp), %xmm0
    movsd -SIZE+NUMBERS+8(%rbp), %xmm1
    .cfi_remember_state
    LEAVE_FRAME
    ret
    .cfi_restore_state
3:  GIVE_ARGUMENTS
    LEAVE_FRAME
    jmp *%r11
    END enter

    .globl dlsym
    FUNCTION dlsym
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
    END dlsym

#elif defined(__aarch64__)

    .macro CODE number
    .p2align 4
    hint #34 /* bti c */
    mov w17, #\number
    b enter
    .endm

    .macro GIVE_ARGUMENTS
    ldp d0, d1, [x29, #-SIZE+NUMBERS]
    ldp x0, x1, [x29, #-SIZE]
    ldp x2, x3, [x29, #-SIZE+16]
    ldp x4, x5, [x29, #-SIZE+32]
    ldp x6, x7, [x29, #-SIZE+48]
    .endm
    .macro LEAVE_FRAME
    mov sp, x29
    ldp x29, x30, [sp], #16
    .cfi_def_cfa 31, 0
    .cfi_restore 29
    .cfi_restore 30
    .endm

    FUNCTION enter
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset 29, -16
    .cfi_offset 30, -8
    mov x29, sp
    .cfi_def_cfa_register 29
    sub sp, sp, #SIZE
    stp x0, x1, [sp]
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp d0, d1, [sp, #NUMBERS]
    mov x0, sp
    mov w1, w17
    adrp x16, pinsight_blas_observers
    ldr x16, [x16, #:lo12:pinsight_blas_observers]
    blr x16
    mov x16, x0
    tbnz x1, #63, 3f
    add x10, x29, #16
    cbz x1, 2f
1:  sub x1, x1, #2
    add x9, x10, x1, lsl #3
    ldp x11, x12, [x9]
    stp x11, x12, [sp, #-16]!
    cbnz x1, 1b
2:  GIVE_ARGUMENTS
    blr x16
    stp x0, x1, [x29, #-SIZE]
    stp d0, d1, [x29, #-SIZE+NUMBERS]
    adrp x16, pinsight_blas_observers
    add x16, x16, #:lo12:pinsight_blas_observers
    ldr x16, [x16, #8]
    sub x0, x29, #SIZE
    blr x16
    ldp x0, x1, [x29, #-SIZE]
    ldp d0, d1, [x29, #-SIZE+NUMBERS]
    .cfi_remember_state
    LEAVE_FRAME
    ret
    .cfi_restore_state
3:  GIVE_ARGUMENTS
    LEAVE_FRAME
    br x16
    END enter

    .globl dlsym
    FUNCTION dlsym
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
    END dlsym

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
