/*
 * What the domain asks of the MPI library that the process has. Told in terms that are the same for
 * all: handles are 64-bit numbers, ranks are as in the trace (-1 any source, -2 MPI_PROC_NULL, -3
 * MPI_ROOT). Built for each flavour, with its mpi.h; calls the library's PMPI functions.
 */
#ifndef PINSIGHT_MPI_FLAVOUR_H
#define PINSIGHT_MPI_FLAVOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PINSIGHT_MPI_ANY (-1)
#define PINSIGHT_MPI_PROC_NULL (-2)
#define PINSIGHT_MPI_ROOT (-3)

/* Is MPI initialised and not finalised? */
bool pinsight_mpi_flavour_is_initialized(void);

/* The process's rank in MPI_COMM_WORLD, and how many there are. */
void pinsight_mpi_flavour_world(uint32_t *rank, uint32_t *size);

/* "openmpi" or "mpich"; the library's version, one line; "3.1"; level as in the event mpi_info. */
struct pinsight_mpi_library {
    const char *flavour;
    char version[256], standard[16];
    uint8_t thread_level;
};
void pinsight_mpi_flavour_library(struct pinsight_mpi_library *library);

/* Handles of the predefined communicators. */
uint64_t pinsight_mpi_flavour_comm_world(void);
uint64_t pinsight_mpi_flavour_comm_self(void);

/* That with the processes that started this one by MPI_Comm_spawn; 0 for none. */
uint64_t pinsight_mpi_flavour_comm_parent(void);

/* What is in the environment of processes that were started so (spawn.c): their context with those
 * who did, in hexadecimal. */
#define PINSIGHT_MPI_PARENT "PINSIGHT_MPI_PARENT"

struct pinsight_pmpi_comm;

/* Fill in sizes, ranks and name of the communicator with that handle. */
void pinsight_mpi_flavour_comm(uint64_t handle, struct pinsight_pmpi_comm *comm);
void pinsight_mpi_flavour_comm_name(uint64_t handle, char name[], size_t size);

/* How many neighbours it has in that communicator's topology: that send to it, and that it sends
 * to.
 */
void pinsight_mpi_flavour_neighbours(uint64_t handle, uint32_t *in, uint32_t *out);

#endif
