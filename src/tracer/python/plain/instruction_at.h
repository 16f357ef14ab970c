/* The current instruction of a frame, by CPython's API alone; for the plain form. */
#ifndef PINSIGHT_PYTHON_INSTRUCTION_AT_H
#define PINSIGHT_PYTHON_INSTRUCTION_AT_H

#include "tracer/python/versions.h"

#if PINSIGHT_IS_PLAIN

/* Returns the code object of a frame, borrowed. */
PyCodeObject *pinsight_instruction_code(PyFrameObject *frame);

/* Returns the offset of a frame's current instruction, in bytes; negative before the first. */
long pinsight_instruction_offset(PyFrameObject *frame);

/* Returns the instruction of `code` at an offset in bytes, and its argument; -1 if there is none.
 */
int pinsight_instruction_at(const PyCodeObject *code, long offset, int *argument);

/* Returns the offset in bytes of the first instruction of the function's body, behind those that
 * make a generator. From 3.11 on. */
long pinsight_instruction_first(const PyCodeObject *code);

/* All functions hold the GIL and keep a pending exception. */

#endif

#endif
