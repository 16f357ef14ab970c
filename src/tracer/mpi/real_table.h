/* The library's functions, and the wrappers around them; both are generated. */
#ifndef PINSIGHT_MPI_REAL_TABLE_H
#define PINSIGHT_MPI_REAL_TABLE_H

#include "tracer/mpi/real.h"

/* generated, after MPI's header: struct pinsight_mpi_real */
#include "real_functions.h"

#include <stdbool.h>
#include <stddef.h>

extern struct pinsight_mpi_real pinsight_mpi_real;

struct pinsight_mpi_wrapper {
    const char *name;
    void *wrapper;
    void *real;     /* address of the member of pinsight_mpi_real */
    bool only_seen; /* it only calls the library if nothing is recorded or counted */
};
extern const struct pinsight_mpi_wrapper pinsight_mpi_wrappers[];
extern const size_t pinsight_mpi_wrapper_count;

#endif
