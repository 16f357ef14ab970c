/*
 * The instruction that the interpreter executes in the calling thread: the operator that it is, or
 * the attribute that it accesses. The thread is in C code that the instruction called, and holds
 * the GIL.
 */
#ifndef PINSIGHT_CPYTHON_INSTRUCTION_H
#define PINSIGHT_CPYTHON_INSTRUCTION_H

#include "tracer/python/cpython/frame.h"
#include "tracer/python/operation.h"

#if PY_VERSION_HEX >= 0x030d0000
#include <opcode_ids.h>
#else
#include <opcode.h>
#endif

/* The place of the calling thread. */
struct pinsight_instruction {
    void *frame;        /* identity of the execution, as in the events of functions */
    PyCodeObject *code; /* borrowed */
    long offset;        /* in bytes */
};

/* The operation of each instruction by its number, for instructions with one operation. The
 * interpreter replaces an instruction by forms for certain types. A form that meets another type
 * acts like the original instruction, and keeps its number for a while. */
extern const uint8_t pinsight_operation_of_opcode[256] __attribute__((visibility("hidden")));

/* In the table above: the argument determines the operation. */
#define PINSIGHT_OPERATION_BY_ARGUMENT 255

#if PINSIGHT_HAS_MONITORING
/* Returns the instruction that another tool of sys.monitoring has replaced by its own, or 0 if it
 * cannot be found. CPython's data about it differ between patch versions. All of them have the code
 * as bytes, which is made once and kept. */
static inline unsigned pinsight_instruction_behind(const PyCodeObject *code, long offset) {
    PyObject *bytes = PyCode_GetCode((PyCodeObject *)(uintptr_t)code);
    unsigned opcode = 0;
    if (!bytes) {
        PyErr_Clear();
        return 0;
    }
    if (offset >= 0 && offset < PyBytes_GET_SIZE(bytes))
        opcode = (unsigned char)PyBytes_AS_STRING(bytes)[offset];
    Py_DECREF(bytes);
    return opcode;
}
#endif

static inline enum pinsight_operation pinsight_operation_by_argument(unsigned opcode,
                                                                     unsigned argument) {
#if PY_VERSION_HEX >= 0x030c0000
    enum { INTRINSIC_POSITIVE = 5 };
    if (opcode == CALL_INTRINSIC_1)
        return argument == INTRINSIC_POSITIVE ? PINSIGHT_OPERATION_POSITIVE
                                              : PINSIGHT_OPERATION_NONE;
#endif
#if PY_VERSION_HEX >= 0x030b0000
    /* BINARY_OP: NB_ADD to NB_XOR, and their in-place forms (opcode.h). */
    (void)opcode;
    enum { WAYS = 13 };
#if PY_VERSION_HEX >= 0x030e0000
    if (argument == 2 * WAYS) /* NB_SUBSCR */
        return PINSIGHT_OPERATION_SUBSCRIPT;
#endif
    return argument < 2 * WAYS ? PINSIGHT_OPERATION_ADD + argument % WAYS : PINSIGHT_OPERATION_NONE;
#else
    /* COMPARE_OP of 3.8: six comparisons, `in`, `not in`, and others. */
    (void)opcode;
    return argument <= Py_GE       ? PINSIGHT_OPERATION_COMPARE
           : argument <= Py_GE + 2 ? PINSIGHT_OPERATION_CONTAINS
                                   : PINSIGHT_OPERATION_NONE;
#endif
}

/* Returns the operation of a frame's current instruction. Fills in the lowest byte of its argument.
 */
static inline enum pinsight_operation pinsight_instruction_does(const pinsight_frame *frame,
                                                                unsigned *argument) {
    uintptr_t at = pinsight_frame_at(frame);
#if PY_VERSION_HEX >= 0x030b0000
    const unsigned char *instruction = (const unsigned char *)at;
#else
    const PyObject *bytes = frame->f_code->co_code;
    long offset = pinsight_frame_offset(frame->f_code, at);
    if (PINSIGHT_UNLIKELY(offset < 0))
        return PINSIGHT_OPERATION_NONE;
    const unsigned char *instruction = (const unsigned char *)PyBytes_AS_STRING(bytes) + offset;
    while (PINSIGHT_UNLIKELY(*instruction == EXTENDED_ARG)) /* the frame is at the first one */
        instruction += 2;
#endif
    unsigned opcode = instruction[0];
#if PINSIGHT_HAS_MONITORING
    if (PINSIGHT_UNLIKELY(opcode == INSTRUMENTED_LINE || opcode == INSTRUMENTED_INSTRUCTION)) {
        const PyCodeObject *code = pinsight_frame_code(frame);
        if (Py_TYPE(code) != &PyCode_Type)
            return PINSIGHT_OPERATION_NONE;
        opcode = pinsight_instruction_behind(code, pinsight_frame_offset(code, at));
    }
#endif
    *argument = instruction[1];
    unsigned found = pinsight_operation_of_opcode[opcode];
    return found == PINSIGHT_OPERATION_BY_ARGUMENT
               ? pinsight_operation_by_argument(opcode, *argument)
               : (enum pinsight_operation)found;
}

/* Fills in the place of a frame. Returns false if it is in no code. */
static inline bool pinsight_instruction_place(const pinsight_frame *frame,
                                              struct pinsight_instruction *where) {
#if PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000
    void *object = frame->frame_obj; /* the object that a profile function gets */
    where->frame = object ? object : (void *)(uintptr_t)frame;
#else
    where->frame = (void *)(uintptr_t)frame;
#endif
    where->code = (PyCodeObject *)(uintptr_t)pinsight_frame_code(frame);
    where->offset = pinsight_frame_offset(where->code, pinsight_frame_at(frame));
    return Py_TYPE(where->code) == &PyCode_Type;
}

/* Returns whether the thread executes an operation. Fills in its place. */
static inline bool pinsight_instruction_is(const PyThreadState *state,
                                           enum pinsight_operation operation,
                                           struct pinsight_instruction *where) {
    const pinsight_frame *frame = pinsight_frame_top(state);
    unsigned argument;
    return PINSIGHT_LIKELY(frame && !state->tracing) &&
           pinsight_instruction_does(frame, &argument) == operation &&
           pinsight_instruction_place(frame, where);
}

/* Returns whether an instruction's argument stands for a name. Only the lowest byte of a large
 * argument is known. The argument then may stand for any name with that byte. */
static inline bool pinsight_instruction_names(const PyCodeObject *code, unsigned argument,
                                              unsigned flags, const PyObject *name) {
    const PyObject *names = code->co_names;
    Py_ssize_t step = 256 >> flags;
    for (Py_ssize_t at = argument >> flags; at < PyTuple_GET_SIZE(names); at += step) {
        if (PyTuple_GET_ITEM(names, at) == name)
            return true;
    }
    return false;
}

/* Returns whether the thread accesses the attribute with an interned name: to set or delete it
 * (`stores`), or to get it. Fills in its place. */
static inline bool pinsight_instruction_accesses(const PyThreadState *state, bool stores,
                                                 const PyObject *name,
                                                 struct pinsight_instruction *where) {
    const pinsight_frame *frame = pinsight_frame_top(state);
    unsigned argument, flags = 0; /* bits of the argument that do not belong to the name */
    if (PINSIGHT_UNLIKELY(!frame || state->tracing))
        return false;
    switch (pinsight_instruction_does(frame, &argument)) {
    case PINSIGHT_OPERATION_STORE_ATTRIBUTE:
        if (!stores)
            return false;
        break;
    case PINSIGHT_OPERATION_LOAD_ATTRIBUTE:
        if (stores)
            return false;
        flags = PY_VERSION_HEX >= 0x030c0000 ? 1 : 0;
        break;
    case PINSIGHT_OPERATION_LOAD_SUPER_ATTRIBUTE:
        if (stores)
            return false;
        flags = 2;
        break;
    default:
        return false;
    }
    return pinsight_instruction_place(frame, where) &&
           pinsight_instruction_names(where->code, argument, flags, name);
}

#endif
