/* Interpreters that the program makes. */
#ifndef PINSIGHT_CPYTHON_NEW_INTERPRETER_H
#define PINSIGHT_CPYTHON_NEW_INTERPRETER_H

#include "domains/python/versions.h"

/*
 * `made` is called once for each interpreter that is made from now on, in whatever way: in that
 * interpreter, while it starts and before it runs code of the program's, and without an exception
 * set. In the plain form it is called more often.
 */
void pinsight_interpreters_notice(void (*made)(void));

#if PINSIGHT_HAS_MONITORING && !PINSIGHT_IS_PLAIN

/* Has it a GIL of its own? */
bool pinsight_interpreter_has_own_gil(const PyInterpreterState *state);

/* A thread of that interpreter calls `call` when it looks at its pending calls, and no more if the
 * interpreter ends before. Any thread; the caller knows that the interpreter lives. */
void pinsight_interpreter_call(PyInterpreterState *state, int (*call)(void *));

#endif

#endif
