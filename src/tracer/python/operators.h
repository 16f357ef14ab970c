/*
 * Operators (`a @ b`, `x[i] = y`) and properties (`a.T`, `a.shape = s`) of types written in C. Each
 * is a C call, which begins and ends when the interpreter calls the type's function.
 *
 * The configuration names the types (`operators`, `properties`). All their subclasses are included.
 * A call is recorded if the interpreter's current instruction is that operator, or accesses an
 * attribute of that name. Otherwise C calls C.
 */
#ifndef PINSIGHT_PYTHON_OPERATORS_H
#define PINSIGHT_PYTHON_OPERATORS_H

#include "tracer/python/balance.h"
#include "tracer/python/versions.h"

struct pinsight_operator;
struct pinsight_property;

/* The flavour in which they are recorded, that of the current mode's callbacks. Under the GIL. */
extern enum pinsight_flavour pinsight_operators_flavour __attribute__((visibility("hidden")));

/* An open operator or access to a property. It lies on the stack of the function that calls the
 * type's function. */
struct pinsight_operator_call {
    void *frame;      /* frame of the operator */
    const void *code; /* code of that frame */
    void *outer;      /* the frame of the next outer open operator */
    bool is_open;     /* it has an entry on the stack */
};

/*
 * Called when an operator of a type is called, with `left` as its first operand. `way` is the
 * number of the slot's name. Returns true if the interpreter calls it. The operator has then begun,
 * and pinsight_operator_end() must follow. Returns false if other C code calls it. There is no
 * pending exception.
 */
bool pinsight_operator_begin(struct pinsight_operator *op, struct pinsight_operator_call *call,
                             unsigned way);

/* Like pinsight_operator_begin(), for an access to a property. `way` is of enum
 * pinsight_property_way. */
bool pinsight_property_begin(struct pinsight_property *property,
                             struct pinsight_operator_call *call, unsigned way);

/* Ends an operator or access that has returned. Keeps a pending exception. */
void pinsight_operator_end(const struct pinsight_operator_call *call, bool raised);

#endif
