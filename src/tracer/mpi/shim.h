/*
 * The interface between the preloaded trampolines (src/tracer/preload/mpi.c) and the wrappers of a
 * flavour. Both are built together and found beside each other.
 */
#ifndef PINSIGHT_MPI_SHIM_H
#define PINSIGHT_MPI_SHIM_H

#include <stdatomic.h>

/* Static in the trampolines' library. Functions are numbered as in generated/mpi/functions.h. */
struct pinsight_mpi_shim {
    unsigned count;           /* number of trampolines */
    const char *const *names; /* "MPI_Send" */
    void *_Atomic *targets;   /* the target of each trampoline */
    /* the next function of each name: libmpi's or another tool's; NULL if there is none */
    void *const *next;
    void *(*find)(const char *name); /* finds a symbol of that libmpi, or NULL; slow */
    /* Called at intervals, to notice calls in newly loaded objects. */
    void (*loaded)(void);
};

/* Exported by a flavour's library. Directs the trampolines. Returns 0, or -1 after a message; the
 * trampolines then lead to the next functions. Called once, possibly after MPI was initialised. */
typedef int (*pinsight_mpi_start_function)(const struct pinsight_mpi_shim *shim);
#define PINSIGHT_MPI_START "pinsight_mpi_start"

#endif
