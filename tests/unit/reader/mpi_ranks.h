/* Ranks of MPI_COMM_WORLD in a model, for tests that call MPI's functions by hand. */
#ifndef PINSIGHT_TEST_MPI_RANKS_H
#define PINSIGHT_TEST_MPI_RANKS_H

#include <stdint.h>

#include "reader/model.h"
#include "reader/mpi/mpi.h"

/* Calls are written as what they have beside the defaults. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define MPI_RANKS_MOST 4
#define CALL(...) ((struct pinsight_mpi_call){PINSIGHT_MPI_CALL, __VA_ARGS__})

struct mpi_ranks {
    struct pinsight_model *model;
    struct pinsight_mpi_thread *ranks[MPI_RANKS_MOST];
};

/* Adds processes 200, 201… to the model; each is a rank, and has one thread. */
void mpi_ranks_join(struct mpi_ranks *ranks, uint32_t count);

/* The same as a test's fixture, with a model of its own. */
struct mpi_ranks *mpi_ranks_new(uint32_t count);

/* Frees the model and the fixture. A test's teardown. */
int mpi_ranks_free(void **state);

/* How long `rank` waited, of a kind, for calls of the rank `cause`; in ns. */
uint64_t mpi_ranks_waited(const struct mpi_ranks *ranks, int rank, enum pinsight_mpi_wait_kind kind,
                          int cause);

/* How long all waited for all; in ns. */
uint64_t mpi_ranks_all_waits(const struct mpi_ranks *ranks);

#endif
