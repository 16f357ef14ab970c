/*
 * The code that a redirected thread of another process executes; see stub.h. The code is copied to
 * STUB_CODE of the thread's memory. The stack pointer is a multiple of 16 at the entry, and below
 * the thread's red zone. The code restores every register and returns by itself: the process
 * continues even if the process that stopped it is killed.
 */
#include "attach/stub.h"

#if defined(__x86_64__)

#define COMPONENTS 0xe7 /* of XSAVE: x87, SSE, AVX, AVX-512 */
#define FILE_INPUT 257  /* Py_file_input, Include/compile.h */

    .text
    .hidden pinsight_stub_begin
    .hidden pinsight_stub_end
    .globl pinsight_stub_begin
    .globl pinsight_stub_end
    .type pinsight_stub_begin, @object
    .type pinsight_stub_end, @object

#define DATA(offset) pinsight_stub_begin - STUB_CODE + (offset)(%rip)

pinsight_stub_begin:
    pushfq
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    cld
    leaq DATA(0), %rbx
    movl $COMPONENTS, %eax
    xorl %edx, %edx
    xsave64 STUB_VECTORS(%rbx)

    movl $STUB_NO_PYTHON, %r13d
    callq *STUB_IS_INITIALIZED(%rbx)
    testl %eax, %eax
    jz leave
    cmpl $0, STUB_QUEUE(%rbx)
    jne queue

    /* A thread that waits in a system call takes the GIL here as it does after the call. */
    movl $STUB_HAS_GIL, %r13d
    callq *STUB_GIL_CHECK(%rbx)
    testl %eax, %eax
    jnz leave
    callq *STUB_GIL_ENSURE(%rbx)
    movl %eax, %r12d
    callq run
    movl %r12d, %edi
    callq *STUB_GIL_RELEASE(%rbx)
    movl $STUB_EXECUTED, %r13d
    jmp leave

queue:
    leaq run(%rip), %rdi
    xorl %esi, %esi
    callq *STUB_ADD_PENDING(%rbx)
    movl $STUB_QUEUED, %r13d
    testl %eax, %eax
    jz leave
    movl $STUB_FULL, %r13d

leave:
    movl $COMPONENTS, %eax
    xorl %edx, %edx
    xrstor64 STUB_VECTORS(%rbx)
    movl %r13d, STUB_ENTRY(%rbx)
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
    popfq
    movq DATA(STUB_RESUME_STACK), %rsp
    jmpq *DATA(STUB_RESUME_AT)

/* int run(void *): executes the script once, in a dictionary of its own. The caller has the GIL. */
run:
    pushq %rbx
    pushq %r12
    pushq %r13
    leaq DATA(0), %rbx
    movl $1, %eax
    xchgl %eax, STUB_CLAIMED(%rbx)
    testl %eax, %eax
    jnz ran
    callq *STUB_DICT_NEW(%rbx)
    testq %rax, %rax
    jz failed
    movq %rax, %r12
    leaq STUB_TEXT(%rbx), %rdi
    movl $FILE_INPUT, %esi
    movq %r12, %rdx
    movq %r12, %rcx
    xorl %r8d, %r8d
    callq *STUB_RUN_STRING(%rbx)
    movq %r12, %rdi
    movq %rax, %r12
    callq *STUB_DEC_REF(%rbx)
    movq %r12, %rdi
    testq %rdi, %rdi
    jz failed
    callq *STUB_DEC_REF(%rbx)
    jmp executed
failed:
    callq *STUB_ERR_CLEAR(%rbx)
executed:
    movl $1, STUB_RAN(%rbx)
ran:
    xorl %eax, %eax
    popq %r13
    popq %r12
    popq %rbx
    retq

pinsight_stub_end:

#endif

    .section .note.GNU-stack, "", @progbits
