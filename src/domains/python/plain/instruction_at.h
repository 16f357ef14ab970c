/* The instruction that a frame is at, by CPython's API alone: for the plain form. */
#ifndef PINSIGHT_PYTHON_INSTRUCTION_AT_H
#define PINSIGHT_PYTHON_INSTRUCTION_AT_H

#include "domains/python/versions.h"

#if PINSIGHT_IS_PLAIN

/* The code object of a frame, borrowed. */
PyCodeObject *pinsight_instruction_code(PyFrameObject *frame);

/* The offset of the instruction that a frame is at, in bytes; less than 0 before the first. */
long pinsight_instruction_offset(PyFrameObject *frame);

/* The instruction of `code` at an offset in bytes, and its argument; -1 where there is none. */
int pinsight_instruction_at(const PyCodeObject *code, long offset, int *argument);

/* The offset of the first one of the function's body, in bytes: behind those that make a
 * generator. From 3.11 on. */
long pinsight_instruction_first(const PyCodeObject *code);

/* All hold the GIL and keep a pending exception. */

#endif

#endif
