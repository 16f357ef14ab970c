/*
 * The types of exceptions, by number. A type is named once. Types of equal names have one number,
 * because a program may make the same class again and again.
 */
#ifndef PINSIGHT_PYTHON_EXCEPTION_TYPES_H
#define PINSIGHT_PYTHON_EXCEPTION_TYPES_H

#include "tracer/python/versions.h"

#include <stdatomic.h>
#include <stdint.h>

struct pinsight_exception_type {
    const char *name;         /* qualified, with its module unless that is builtins */
    uint32_t number;          /* from 1; 0 for all types beyond the limit */
    _Atomic uint32_t defined; /* session version that has it; 0: none */
};

/* Returns the data of a type, which are never freed. Holds the GIL of the type's interpreter. Sets
 * no exception, and keeps a pending one. */
struct pinsight_exception_type *pinsight_exception_type(PyTypeObject *type);

/* Records the number and the name of a type, unless the present session has them. */
void pinsight_exception_type_define(struct pinsight_exception_type *type);

/* Makes the types usable in a forked child. */
void pinsight_exception_types_fork_child(void);

#endif
