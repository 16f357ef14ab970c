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

#endif
#endif
