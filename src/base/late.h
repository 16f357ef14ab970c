/*
 * Libraries that are opened at run time, when they are needed. A *_functions.def file lists their
 * functions as FUNCTION(name). late_functions.c compiles each to a function of the same name that
 * jumps into the library. The callers' code therefore looks as if the library was linked. No
 * function may be called before the library is open.
 */
#ifndef PINSIGHT_BASE_LATE_H
#define PINSIGHT_BASE_LATE_H

#include <stddef.h>

struct pinsight_late_function {
    const char *name;
    void **at;
};

struct pinsight_late {
    const char *path; /* path of the library on the build machine */
    const char *name; /* file name for the dynamic linker, used if `path` does not exist */
    const struct pinsight_late_function *functions;
    size_t count;
    void *handle; /* NULL before the library is open */
};

/* Weak, so that the address is NULL in a program that was built without the library. */
#define PINSIGHT_LATE(name) extern struct pinsight_late __attribute__((weak)) pinsight_late_##name
PINSIGHT_LATE(babeltrace2);
PINSIGHT_LATE(libdw);
PINSIGHT_LATE(otf2);

/* Opens a library once. Returns NULL, or the reason for a failure, a text that is valid until the
 * next call. Not thread-safe. */
const char *pinsight_late_open(struct pinsight_late *library);

#endif
