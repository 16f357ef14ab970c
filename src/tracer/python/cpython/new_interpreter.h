/* Interpreters that the program makes. */
#ifndef PINSIGHT_CPYTHON_NEW_INTERPRETER_H
#define PINSIGHT_CPYTHON_NEW_INTERPRETER_H

#include "tracer/python/versions.h"

/*
 * Calls `made` once for each new interpreter, however it is made. The call happens in that
 * interpreter, during its start, before it runs code of the program, and without an exception. In
 * the plain form, `made` is called more often.
 */
void pinsight_interpreters_notice(void (*made)(void));

#if PINSIGHT_HAS_MONITORING && !PINSIGHT_IS_PLAIN

/* Returns whether an interpreter has a GIL of its own. */
bool pinsight_interpreter_has_own_gil(const PyInterpreterState *state);

/* Makes a thread of an interpreter call `call` when the thread handles its pending calls. The call
 * does not happen if the interpreter ends before. Any thread; the caller knows that the interpreter
 * exists. */
void pinsight_interpreter_call(PyInterpreterState *state, int (*call)(void *));

#endif

#endif
