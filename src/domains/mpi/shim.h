/*
 * What the preloaded trampolines (src/preload/mpi.c) and the wrappers of a flavour tell each other.
 * The two are built together, and found beside each other.
 */
#ifndef PINSIGHT_MPI_SHIM_H
#define PINSIGHT_MPI_SHIM_H

#include <stdatomic.h>

/* Static in the trampolines' library; functions are numbered as in generated/mpi/functions.h. */
struct pinsight_mpi_shim {
    unsigned count;           /* trampolines */
    const char *const *names; /* "MPI_Send" */
    void *_Atomic *targets;   /* where each trampoline leads */
    void *const *next;        /* what is behind: libmpi's function, or that of another tool that
                                 is behind this one; NULL where there is none */
    void *(*find)(const char *name); /* a symbol of that libmpi, or NULL. Slow. */
    /* Objects may have been loaded: to be called now and then, so that what they call is seen. */
    void (*loaded)(void);
};

/* Exported by a flavour's library. Takes over where trampolines lead. Returns 0, or -1 with the
 * cause said: then they lead to what is behind. Called once, with MPI perhaps initialised. */
typedef int (*pinsight_mpi_start_function)(const struct pinsight_mpi_shim *shim);
#define PINSIGHT_MPI_START "pinsight_mpi_start"

#endif
