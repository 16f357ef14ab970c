/*
 * The layout of the memory in which a thread of another process executes a script (interrupt.c).
 * The memory consists of data, code that is copied there (stub_x86_64.S), and the script's text.
 * The data stays writable, and the code does not.
 */
#ifndef PINSIGHT_ATTACH_STUB_H
#define PINSIGHT_ATTACH_STUB_H

/* Offsets of the data, for C and assembly. */
#define STUB_ENTRY 0x00        /* int: the state of the thread, one of the values below */
#define STUB_RAN 0x04          /* int: 1 after the script was executed */
#define STUB_CLAIMED 0x08      /* int: 1 if no thread may begin with the script any more */
#define STUB_QUEUE 0x0c        /* int: 1 for a pending call, 0 to execute the script at once */
#define STUB_RESUME_STACK 0x10 /* the stack pointer and the instruction to continue with */
#define STUB_RESUME_AT 0x18
#define STUB_IS_INITIALIZED 0x20 /* addresses of functions, in the order of interrupt.c */
#define STUB_GIL_CHECK 0x28
#define STUB_GIL_ENSURE 0x30
#define STUB_GIL_RELEASE 0x38
#define STUB_ADD_PENDING 0x40
#define STUB_DICT_NEW 0x48
#define STUB_RUN_STRING 0x50
#define STUB_ERR_CLEAR 0x58
#define STUB_DEC_REF 0x60
#define STUB_VECTORS 0x80 /* the thread's vector registers (XSAVE), a multiple of 64 */
#define STUB_CODE 0x1000
#define STUB_TEXT 0x2000
#define STUB_SIZE 0x8000

/* States of the thread. */
#define STUB_STARTED 0
#define STUB_EXECUTED 1  /* had no GIL, took it, and executed the script */
#define STUB_NO_PYTHON 2 /* the interpreter does not exist yet, or no longer */
#define STUB_HAS_GIL 3   /* has the GIL, so that only a pending call is possible */
#define STUB_QUEUED 4    /* the main thread will execute the script */
#define STUB_FULL 5      /* there is no room for another pending call */

#ifndef __ASSEMBLER__

extern const unsigned char pinsight_stub_begin[], pinsight_stub_end[];

#endif

#endif
