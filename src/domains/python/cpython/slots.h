/*
 * The functions of types written in C that operators call (`a @ b`, `x[i] = y`): the slots of a
 * type. The interpreter reports no call of them, so a function of ours is put before each.
 *
 * A subclass has the slots of its base, or takes them from the base's descriptors (d_wrapped) when
 * it is made, so these lead to ours too. NumPy compares the addresses in slots: each of a type's
 * functions has one of ours before it and no other, so that what was equal is equal and what
 * differed differs.
 */
#ifndef PINSIGHT_CPYTHON_SLOTS_H
#define PINSIGHT_CPYTHON_SLOTS_H

#include "domains/python/operation.h"
#include "domains/python/versions.h"

struct pinsight_python_lexgion;

/* What a slot's function is called like differs: x[i] = y and del x[i], six comparisons. */
#define PINSIGHT_OPERATOR_WAYS 6

/* A slot of types. */
struct pinsight_operator_slot {
    size_t table; /* where a type has the address of the structure that it is in; 0: the type */
    size_t at;    /* its place there */
    enum pinsight_operation operation;
    bool may_defer;     /* NumPy's function may leave it to the other operand's */
    unsigned char form; /* what is put before it is of this form (enum form in trampolines.h) */
    const char *names[PINSIGHT_OPERATOR_WAYS];
};

/* A type's function, and ours before it. They are never freed. */
struct pinsight_operator {
    void *own;        /* the type's */
    void *trampoline; /* ours */
    const struct pinsight_operator_slot *slot;
    PyTypeObject *type;                            /* that defines it; strong */
    PyObject *descriptors[PINSIGHT_OPERATOR_WAYS]; /* by the slot's names; strong, or NULL */
    struct pinsight_python_lexgion *callees[PINSIGHT_OPERATOR_WAYS]; /* once they are known */
    struct pinsight_operator *next;                                  /* of the same slot */
};

/*
 * Put functions of ours before those of `type` and of all its subclasses. Again does it for
 * subclasses that are new. Returns how many functions of the type's own there are: 0 where it has
 * none that is written in C, -1 where they may not be changed. Keeps a pending exception. GIL held.
 */
int pinsight_slots_put(PyTypeObject *type);

/* Was there no room for a function? */
bool pinsight_slots_are_full(void);

/* Take them away, from `type` and all its subclasses. Calls that are under way end through ours. */
void pinsight_slots_take(PyTypeObject *type);

/*
 * An operator of NumPy's is about to look at the type of `other`. A class with __array_ufunc__ =
 * None, and one that has a priority of its own, is asked to do the operation itself where its slot
 * is not NumPy's: it gets NumPy's back, and its operators are not seen from then on.
 */
void pinsight_slots_defer(const struct pinsight_operator *op, PyTypeObject *other);

/* Where the code of what is put before slots lies: addresses from `begin` to before `end`. */
void pinsight_slots_code(const void **begin, const void **end);

#endif
