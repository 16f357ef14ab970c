/* The trampolines, for the code that says where they lead. */
#ifndef PINSIGHT_PRELOAD_MPI_TRAMPOLINES_H
#define PINSIGHT_PRELOAD_MPI_TRAMPOLINES_H

#ifndef __ASSEMBLER__

#include <stdatomic.h>

/* Where each leads. At first to what asks pinsight_mpi_first. */
extern void *_Atomic pinsight_mpi_targets[];

/* The trampolines of functions that not every MPI library has, which have no name; in the order of
 * functions.h, ended by NULL. */
extern void *const pinsight_mpi_late[];

/* A trampoline is used that leads nowhere yet: where to go. `caller` is the address that the call
 * returns to. Thread-safe. */
void *pinsight_mpi_first(unsigned function, void *caller);

/* got.c: a function that objects are led to in place of the MPI library's own. */
struct pinsight_mpi_led {
    const char *name; /* sorted by this */
    void *real;       /* the library's */
    void *trampoline;
};

/*
 * Lead calls of those functions, in the objects that are loaded, over their trampolines; `mpi` is
 * an address in the MPI library, which is left alone. Does nothing where no object was loaded since
 * the last time. Not at the same time as another call.
 */
void pinsight_mpi_lead(const struct pinsight_mpi_led *led, unsigned count, const void *mpi);

#endif
#endif
