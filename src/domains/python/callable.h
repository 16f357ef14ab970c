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
#include "domains/python/thread.h"
#include "domains/python/versions.h"

/* Learn from the interpreter what tells Python's classes from C's. Holds the GIL. Returns 0 or -1.
 */
int pinsight_callable_start(void);

/*
 * The lexgion of a callable, or NULL if it is not written in C (or memory is short). The thread's
 * cache is looked at first; a callable is resolved once. Holds the GIL.
 */
struct pinsight_python_lexgion *pinsight_callable_lexgion(struct pinsight_python_thread *thread,
                                                          PyObject *callable);

/* Returns whether a callable is written in C. Calls nothing of the program. */
bool pinsight_callable_is_c(PyObject *callable);

/* The callables of an interpreter: entries of method tables are the same in all. */
struct pinsight_callables;
extern struct pinsight_callables pinsight_callables_main __attribute__((visibility("hidden")));

/* Those of another interpreter, which holds its GIL; NULL when memory is short. */
struct pinsight_callables *pinsight_callables_new(void);
/* It ends. */
void pinsight_callables_free(struct pinsight_callables *callables);

/* Moves on when a callable is gone; threads then forget what they cached. Under the GIL. */
extern uint32_t pinsight_callable_version __attribute__((visibility("hidden")));

static inline size_t pinsight_callable_hash(const void *key) {
    uint64_t bits = (uint64_t)(uintptr_t)key;
    return (size_t)(bits * 0x9e3779b97f4a7c15u >> 40);
}

/*
 * The same where the thread met it lately, else NULL; what is not written in C is never found. A
 * built-in function or method is cached by the entry of its method table, for the object may be
 * made anew at each access, and all else by its address. See key_of.
 */
PINSIGHT_ALWAYS_INLINE struct pinsight_python_lexgion *
pinsight_callable_cached(const struct pinsight_python_thread *thread, PyObject *callable) {
    const void *key = Py_TYPE(callable) == &PyCFunction_Type
                          ? (const void *)((const PyCFunctionObject *)callable)->m_ml
                          : callable;
    const struct pinsight_callee_slot *slot =
        &thread->callees[pinsight_callable_hash(key) % PINSIGHT_CALLEE_CACHE];
    return PINSIGHT_LIKELY(slot->key == key && thread->callee_version == pinsight_callable_version)
               ? slot->lexgion
               : NULL;
}

#endif
