/*
 * Operators (`a @ b`, `x[i] = y`) and properties (`a.T`, `a.shape = s`) of types written in C: each
 * is a call of C, which begins and ends where the interpreter calls the type's function.
 *
 * The types are those that the configuration names (`operators`, `properties`), with all their
 * subclasses. A call is recorded where the interpreter's current instruction is that operator, or
 * accesses the attribute of that name; otherwise it is C that calls C.
 */
#ifndef PINSIGHT_PYTHON_OPERATORS_H
#define PINSIGHT_PYTHON_OPERATORS_H

#include "domains/python/balance.h"
#include "domains/python/versions.h"

struct pinsight_operator;
struct pinsight_property;

/* How they are recorded: as the callbacks of the mode in force are. Under the GIL. */
extern enum pinsight_flavour pinsight_operators_flavour __attribute__((visibility("hidden")));

/* An operator, or the access to a property, that is under way; on the stack of who calls the type's
 * function. */
struct pinsight_operator_call {
    void *frame;      /* that the operator is in */
    const void *code; /* whose execution that is */
    void *outer;      /* that an operator was under way in before */
    bool is_open;     /* it has an entry */
};

/*
 * The interpreter, or C that it called, calls an operator of a type, with `left` as its first
 * operand. `way` is the number of the slot's name. If it is the interpreter, the operator begins,
 * and pinsight_operator_end is to be called; else false. Keeps no pending exception: there is none.
 */
bool pinsight_operator_begin(struct pinsight_operator *op, struct pinsight_operator_call *call,
                             unsigned way);

/* The same where a property is accessed; `way` is of enum pinsight_property_way. */
bool pinsight_property_begin(struct pinsight_property *property,
                             struct pinsight_operator_call *call, unsigned way);

/* It has returned. Keeps a pending exception. */
void pinsight_operator_end(const struct pinsight_operator_call *call, bool raised);

#endif
