/*
 * The types of exceptions, by number. A type is named once. Types of equal names have one number,
 * because a program may make the same class again and again.
 */
#ifndef PINSIGHT_PYTHON_EXCEPTION_TYPES_H
#define PINSIGHT_PYTHON_EXCEPTION_TYPES_H

#include "tracer/python/versions.h"

#include <stdint.h>

struct pinsight_exception_type {
    const char *name; /* qualified, with its module unless that is builtins */
    uint32_t number;  /* from 1; 0 for all types beyond the limit */
};

/* Returns the data of a type, which are never freed. Holds the GIL of the type's interpreter. Sets
 * no exception, and keeps a pending one. */
const struct pinsight_exception_type *pinsight_exception_type(PyTypeObject *type);

#endif
