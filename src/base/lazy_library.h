/*
 * Libraries that are opened at run time, when they are needed. A *_functions.def file lists their
 * functions as FUNCTION(name). lazy_functions.c compiles each to a function of the same name that
 * jumps into the library. The callers' code therefore looks as if the library was linked. No
 * function may be called before the library is open.
 */
#ifndef PINSIGHT_BASE_LAZY_LIBRARY_H
#define PINSIGHT_BASE_LAZY_LIBRARY_H

#include <stddef.h>

struct pinsight_lazy_function {
    const char *name;
    void **at;
};

struct pinsight_lazy_library {
    const char *path; /* path of the library on the build machine */
    const char *name; /* file name for the dynamic linker, used if `path` does not exist */
    const struct pinsight_lazy_function *functions;
    size_t count;
    void *handle; /* NULL before the library is open */
};

/* Weak, so that the address is NULL in a program that was built without the library. */
#define PINSIGHT_LAZY_LIBRARY(name)                                                                \
    extern struct pinsight_lazy_library __attribute__((weak)) pinsight_lazy_##name
PINSIGHT_LAZY_LIBRARY(libdw);
PINSIGHT_LAZY_LIBRARY(otf2);

/* Opens a library once. Returns NULL, or the reason for a failure, a text that is valid until the
 * next call. Not thread-safe. */
const char *pinsight_lazy_library_open(struct pinsight_lazy_library *library);

#endif
