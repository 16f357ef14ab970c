/*
 * The callables that are written in C, and their lexgions.
 *
 * A Python function, a bound method of one, a class from a class statement, and an instance whose
 * class defines __call__ in Python are not written in C. Any other callable is. Names come from
 * fields of C structs, by type. No code that a program could have overridden runs.
 */
#ifndef PINSIGHT_PYTHON_CALLABLE_H
#define PINSIGHT_PYTHON_CALLABLE_H

#include "tracer/python/lexgion.h"
#include "tracer/python/thread.h"
#include "tracer/python/versions.h"

/* Finds out how Python's classes differ from C's in this interpreter. Holds the GIL. Returns 0 or
 * -1. */
int pinsight_callable_start(void);

/*
 * Returns the lexgion of a callable. Returns NULL if the callable is not written in C, or if memory
 * is short. Looks into the thread's cache first. A callable is resolved once. Holds the GIL.
 */
struct pinsight_python_lexgion *pinsight_callable_lexgion(struct pinsight_python_thread *thread,
                                                          PyObject *callable);

/* Returns whether a callable is written in C. Calls nothing of the program. */
bool pinsight_callable_is_c(PyObject *callable);

/* The callables of one interpreter. Method tables are common to all interpreters. */
struct pinsight_callables;
extern struct pinsight_callables pinsight_callables_main __attribute__((visibility("hidden")));

/* Makes the table of another interpreter, whose GIL the caller holds. Returns NULL if memory is
 * short. */
struct pinsight_callables *pinsight_callables_new(void);
/* Frees the table at the interpreter's end. */
void pinsight_callables_free(struct pinsight_callables *callables);
/* Releases the objects that the main interpreter's table keeps alive, at the interpreter's end. A
 * library such as nanobind reports living objects as leaks then. Nothing is looked up afterwards.
 * Holds the GIL. */
void pinsight_callables_let_go(void);

/* Increases when a callable is freed; threads then clear their caches. Under the GIL. */
extern uint32_t pinsight_callable_version __attribute__((visibility("hidden")));

static inline size_t pinsight_callable_hash(const void *key) {
    uint64_t bits = (uint64_t)(uintptr_t)key;
    return (size_t)(bits * 0x9e3779b97f4a7c15u >> 40);
}

/*
 * Returns the lexgion of a callable from the thread's cache, or NULL. A callable that is not
 * written in C is never found. The key of a built-in function or method is its entry in the method
 * table, because the object may be new at each access. The key of any other callable is its
 * address. See key_of().
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
