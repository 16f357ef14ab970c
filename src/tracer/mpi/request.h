/*
 * Requests, from their start to their completion: a table from handles to numbers. There is no
 * lock, and no search beyond a few buckets. A library may give the same handle to several requests
 * that are complete already (MPICH does), so a handle can be in the table more than once.
 */
#ifndef PINSIGHT_MPI_REQUEST_H
#define PINSIGHT_MPI_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/* The operation of a request. */
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

/* A request from a look-up; `id` 0 stands for an unknown one. */
struct pinsight_pmpi_request {
    uint64_t id;
    uint32_t how; /* operation and flags, as above */
};

/* Registers a request. Returns its number. Any thread. */
uint64_t pinsight_mpi_request_made(uint64_t handle, uint32_t how);

/* Removes a request from the table for a call that completes it. A persistent request stays and
 * becomes inactive. An inactive one counts as unknown. */
struct pinsight_pmpi_request pinsight_mpi_request_take(uint64_t handle);

/* Undoes pinsight_mpi_request_take() for a request that was not completed. */
void pinsight_mpi_request_put_back(uint64_t handle, struct pinsight_pmpi_request request);

/* Marks a persistent request as active. Returns its number, or 0. */
uint64_t pinsight_mpi_request_started(uint64_t handle);

/* Returns the number of a request, or 0. */
uint64_t pinsight_mpi_request_look(uint64_t handle);

/* Called when a request was freed. */
void pinsight_mpi_request_freed(uint64_t handle);

/* Discards all requests, because some were started or completed without being observed. */
void pinsight_mpi_request_forget(void);

#endif
