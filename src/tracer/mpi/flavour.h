/*
 * Queries to the MPI library of the process. Results do not depend on the library. Handles are
 * 64-bit numbers, and ranks are as in the trace (-1 any source, -2 MPI_PROC_NULL, -3 MPI_ROOT).
 * Built for each flavour with its mpi.h. Calls the library's PMPI functions.
 */
#ifndef PINSIGHT_MPI_FLAVOUR_H
#define PINSIGHT_MPI_FLAVOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PINSIGHT_MPI_ANY (-1)
#define PINSIGHT_MPI_PROC_NULL (-2)
#define PINSIGHT_MPI_ROOT (-3)

/* Returns whether MPI is initialised and not finalised. */
bool pinsight_mpi_flavour_is_initialized(void);

/* Gets the process's rank in MPI_COMM_WORLD, and the number of ranks. */
void pinsight_mpi_flavour_world(uint32_t *rank, uint32_t *size);

/* The flavour is "openmpi" or "mpich". `version` is the library's version in one line, `standard`
 * for example "3.1", and `thread_level` as in the event mpi_info. */
struct pinsight_mpi_library {
    const char *flavour;
    char version[256], standard[16];
    uint8_t thread_level;
};
void pinsight_mpi_flavour_library(struct pinsight_mpi_library *library);

/* Return the handles of the predefined communicators. */
uint64_t pinsight_mpi_flavour_comm_world(void);
uint64_t pinsight_mpi_flavour_comm_self(void);

/* Returns the communicator with the processes that started this one by MPI_Comm_spawn, or 0. */
uint64_t pinsight_mpi_flavour_comm_parent(void);

/* The environment variable of spawned processes (spawn.c). It has their context with the processes
 * that started them, in hexadecimal. */
#define PINSIGHT_MPI_PARENT "PINSIGHT_MPI_PARENT"

struct pinsight_pmpi_comm;

/* Fill in the sizes, ranks and name of the communicator with a handle. */
void pinsight_mpi_flavour_comm(uint64_t handle, struct pinsight_pmpi_comm *comm);
void pinsight_mpi_flavour_comm_name(uint64_t handle, char name[], size_t size);

/* Gets the number of neighbours in the communicator's topology that send to this process, and that
 * it sends to. */
void pinsight_mpi_flavour_neighbours(uint64_t handle, uint32_t *in, uint32_t *out);

#endif
