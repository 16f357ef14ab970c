/*
 * Callables: which are written in C, and the lexgion of each.
 *
 * Written in C is what is neither a Python function, nor a bound method of one, nor a class made by
 * a class statement, nor an instance whose class defines __call__ in Python. Names come from C
 * fields by type; no code that a program could have overridden runs.
 */
#ifndef PINSIGHT_PYTHON_CALLABLE_H
#define PINSIGHT_PYTHON_CALLABLE_H

#include "domains/python/lexgion.h"
#include "domains/python/versions.h"

struct pinsight_python_thread;

/* Learn from the interpreter what tells Python's classes from C's. Holds the GIL. Returns 0 or -1.
 */
int pinsight_callable_start(void);

/*
 * The lexgion of a callable, or NULL if it is not written in C (or memory is short). The thread's
 * cache is looked at first; a callable is resolved once. Holds the GIL.
 */
struct pinsight_python_lexgion *pinsight_callable_lexgion(struct pinsight_python_thread *thread,
                                                          PyObject *callable);

#endif
