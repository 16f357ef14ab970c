/*
 * Libraries that are opened when they are asked for. A file of functions, FUNCTION(name) a line, is
 * compiled (late_functions.c) to functions of the same names, which go on in the library: whoever
 * calls them is written as if it was linked. None may be called before the library is open.
 */
#ifndef PINSIGHT_BASE_LATE_H
#define PINSIGHT_BASE_LATE_H

#include <stddef.h>

struct pinsight_late_function {
    const char *name;
    void **at;
};

struct pinsight_late {
    const char *path; /* of the build's machine */
    const char *name; /* that the linker looks for, where it is not there */
    const struct pinsight_late_function *functions;
    size_t count;
    void *handle; /* once it is open */
};

/* NULL addresses in programs without them, as in a build on a machine that has not got them. */
#define PINSIGHT_LATE(name) extern struct pinsight_late __attribute__((weak)) pinsight_late_##name
PINSIGHT_LATE(babeltrace2);
PINSIGHT_LATE(libdw);
PINSIGHT_LATE(otf2);

/* Opens a library, once. NULL; or why it cannot be used, a text that is good until the next call.
 * One thread. */
const char *pinsight_late_open(struct pinsight_late *library);

#endif
