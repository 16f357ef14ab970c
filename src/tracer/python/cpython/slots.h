/*
 * The functions of types written in C that operators call (`a @ b`, `x[i] = y`): the slots of a
 * type. The interpreter reports no call of them, so each is redirected.
 *
 * A subclass has the slots of its base, or takes them from the base's descriptors (d_wrapped) when
 * it is made. Therefore the descriptors are redirected, too. NumPy compares the addresses in slots.
 * Each of a type's functions therefore has its own trampoline, so that equal slots stay equal, and
 * different ones stay different.
 */
#ifndef PINSIGHT_CPYTHON_SLOTS_H
#define PINSIGHT_CPYTHON_SLOTS_H

#include "tracer/python/operation.h"
#include "tracer/python/versions.h"

struct pinsight_python_lexgion;

/* The most operators that one function serves: x[i] = y and del x[i], or six comparisons. */
#define PINSIGHT_OPERATOR_WAYS 6

/* A slot of types. */
struct pinsight_operator_slot {
    /* Offset in the type of a pointer to the slot's table. 0: the slot is in the type itself. */
    size_t table;
    size_t at; /* offset of the slot in the table or type */
    enum pinsight_operation operation;
    bool may_defer;     /* NumPy's function may leave the operation to the other operand */
    unsigned char form; /* form of the trampoline (enum form in trampolines.h) */
    const char *names[PINSIGHT_OPERATOR_WAYS];
};

/* A function of a type, and its trampoline. It is never freed. */
struct pinsight_operator {
    void *own;        /* the type's function */
    void *trampoline; /* PInsight's function */
    const struct pinsight_operator_slot *slot;
    /* The type that defines the function; a strong reference. */
    PyTypeObject *type;
    /* Descriptors by the slot's names; strong references or NULL. */
    PyObject *descriptors[PINSIGHT_OPERATOR_WAYS];
    struct pinsight_python_lexgion *callees[PINSIGHT_OPERATOR_WAYS]; /* NULL until first used */
    /* The next operator of the same slot. */
    struct pinsight_operator *next;
};

/*
 * Redirects the slots of `type` and of all its subclasses. A repeated call handles new subclasses.
 * Returns the number of the type's own functions, 0 if it has none that is written in C, or -1 if
 * they must not be changed. Keeps a pending exception. Holds the GIL.
 */
int pinsight_slots_put(PyTypeObject *type);

/* Returns whether a function found no free trampoline. */
bool pinsight_slots_are_full(void);

/* Restores the slots of `type` and all its subclasses. Open calls still end through the
 * trampolines. */
void pinsight_slots_take(PyTypeObject *type);

/*
 * Called when an operator of NumPy's is about to look at the type of `other`. If the type has
 * __array_ufunc__ = None, or a priority of its own, and its slot is not NumPy's, NumPy leaves the
 * operation to it. Therefore the type gets NumPy's slots back, and its operators are not observed
 * any more.
 */
void pinsight_slots_defer(const struct pinsight_operator *op, PyTypeObject *other);

/* Returns the addresses of the trampolines' code, from *begin to before *end. */
void pinsight_slots_code(const void **begin, const void **end);

#endif
