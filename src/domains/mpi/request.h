/*
 * Requests, from their start to their completion: a table from handles to numbers. No lock, and no
 * search beyond a bucket. A library may give the same handle to several requests that are complete
 * already (MPICH does), so a handle may be in it more than once.
 */
#ifndef PINSIGHT_MPI_REQUEST_H
#define PINSIGHT_MPI_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/* What a request is of. */
enum pinsight_mpi_starts {
    PINSIGHT_MPI_STARTS_SEND = 1,
    PINSIGHT_MPI_STARTS_RECV,
    PINSIGHT_MPI_STARTS_COLLECTIVE,
    PINSIGHT_MPI_STARTS_IO,
    PINSIGHT_MPI_STARTS_RMA,
    PINSIGHT_MPI_STARTS_OTHER,
    PINSIGHT_MPI_STARTS_EXCHANGE, /* a send and a receive */
};

#define PINSIGHT_MPI_REQUEST_WHAT 0xfu
#define PINSIGHT_MPI_REQUEST_PERSISTENT 0x10u
#define PINSIGHT_MPI_REQUEST_ACTIVE 0x20u

/* A request that is looked at; `id` 0 is none that is known. */
struct pinsight_pmpi_request {
    uint64_t id;
    uint32_t how; /* bits as above */
};

/* It was made. Returns its number. Any thread. */
uint64_t pinsight_mpi_request_made(uint64_t handle, uint32_t how);

/* Take it out, for a call that completes it: a persistent one stays, and is not active any more;
 * one that is not active is none. */
struct pinsight_pmpi_request pinsight_mpi_request_take(uint64_t handle);

/* It was not completed after all. */
void pinsight_mpi_request_put_back(uint64_t handle, struct pinsight_pmpi_request request);

/* A persistent one is started. Returns its number, 0 for none. */
uint64_t pinsight_mpi_request_started(uint64_t handle);

/* Its number, 0 for none. */
uint64_t pinsight_mpi_request_look(uint64_t handle);

/* It was freed. */
void pinsight_mpi_request_freed(uint64_t handle);

/* Requests were started or completed unseen: what is known of them is forgotten. */
void pinsight_mpi_request_forget(void);

#endif
