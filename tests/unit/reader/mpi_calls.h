/* Calls of MPI by four ranks of a model, written as a test needs them. */
#ifndef PINSIGHT_TEST_MPI_CALLS_H
#define PINSIGHT_TEST_MPI_CALLS_H

#include "mpi_ranks.h"

#define RANKS MPI_RANKS_MOST
#define WORLD PINSIGHT_MPI_WORLD

/* Arguments and results of calls. */
#define SEND(to, label, size) CALL(.dest = to, .tag = label, .bytes = size)
#define RECV(from, label) CALL(.source = from, .tag = label)
#define PLAIN CALL(.comm = WORLD)
#define OK ((struct pinsight_mpi_result){0})
#define MADE(number) ((struct pinsight_mpi_result){.request = number})
#define GOT(from, label, size)                                                                     \
    ((struct pinsight_mpi_result){.has_status = true, .source = from, .tag = label, .bytes = size})

static inline int setup(void **state) {
    *state = mpi_ranks_new(RANKS);
    return 0;
}

static inline struct pinsight_mpi *mpi_of(const struct mpi_ranks *f) {
    return pinsight_model_mpi(f->model);
}

/* A call without a communicator is one in MPI_COMM_WORLD. */
static inline void begin(struct mpi_ranks *f, int rank, const char *name,
                         struct pinsight_mpi_call call, uint64_t ns) {
    call.function = pinsight_mpi_function(f->model, name);
    if (!call.comm)
        call.comm = WORLD;
    pinsight_mpi_begin(f->ranks[rank], &call, ns);
}

static inline void end(struct mpi_ranks *f, int rank, const char *name,
                       struct pinsight_mpi_result result, uint64_t ns) {
    pinsight_mpi_end(f->ranks[rank], pinsight_mpi_function(f->model, name), &result, ns);
}

static inline void complete(struct mpi_ranks *f, int rank, uint64_t request, int source, int tag,
                            uint64_t bytes, uint64_t ns) {
    pinsight_mpi_complete(f->ranks[rank], request, false, source, tag, bytes, ns);
}

#endif
