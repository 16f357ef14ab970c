/* The trampolines of MPI, and the function that sets their targets. */
#ifndef PINSIGHT_PRELOAD_MPI_TRAMPOLINES_H
#define PINSIGHT_PRELOAD_MPI_TRAMPOLINES_H

#ifndef __ASSEMBLER__

#include <stdatomic.h>

/* The targets. At first each is code that calls pinsight_mpi_first(). */
extern void *_Atomic pinsight_mpi_targets[];

/* Trampolines of functions that only some MPI libraries have. These trampolines are not exported.
 * In the order of functions.h, ended by NULL. */
extern void *const pinsight_mpi_unexported[];

/* Returns the target for a trampoline that has none yet. `caller` is the address that the call
 * returns to. Thread-safe. */
void *pinsight_mpi_first(unsigned function, void *caller);

#endif
#endif
