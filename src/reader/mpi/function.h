/* What the reader knows of MPI's functions by their names: which of them send, which wait, and how
 * the members of a collective operation depend on each other. A function that the table lacks is
 * timed and nothing else. */
#ifndef PINSIGHT_READER_MPI_FUNCTION_H
#define PINSIGHT_READER_MPI_FUNCTION_H

#include "describe/mpi_kinds.h"

#include <stdbool.h>
#include <stdint.h>

enum pinsight_mpi_role {
    PINSIGHT_MPI_PLAIN,
    PINSIGHT_MPI_SENDS,
    PINSIGHT_MPI_RECEIVES,
    PINSIGHT_MPI_EXCHANGES, /* sends and receives */
    PINSIGHT_MPI_PROBES,
    PINSIGHT_MPI_RECEIVES_PROBED, /* a message that a matching probe took: MPI_Mrecv */
    PINSIGHT_MPI_BARRIER,
    PINSIGHT_MPI_N_TO_N,
    PINSIGHT_MPI_TO_ROOT,
    PINSIGHT_MPI_FROM_ROOT,
    PINSIGHT_MPI_OTHER_COLLECTIVE, /* scans and neighbourhoods: not all wait for all */
    PINSIGHT_MPI_STARTS,           /* MPI_Start */
    PINSIGHT_MPI_FREES,            /* MPI_Request_free */
    PINSIGHT_MPI_INITIALISES,
    PINSIGHT_MPI_FINALISES,
    PINSIGHT_MPI_ABORTS,
    /* One-sided communication, see window.c: collective over a communicator; over a window; */
    PINSIGHT_MPI_WIN_CREATES,
    PINSIGHT_MPI_WIN_FENCES,
    PINSIGHT_MPI_WIN_FREES,
    PINSIGHT_MPI_WIN_POSTS,
    PINSIGHT_MPI_WIN_WAITS,
    PINSIGHT_MPI_WIN_STARTS,
    PINSIGHT_MPI_WIN_COMPLETES,
    PINSIGHT_MPI_WIN_ACCESSES, /* MPI_Put and its like, and where they are flushed */
    PINSIGHT_MPI_WIN_LOCKS,
    PINSIGHT_MPI_WIN_UNLOCKS,
};

/* What goes from one member of a collective operation to another, by what the operation means; how
 * a library moves it is another matter. Of reductions to all, scans and those in which each pair
 * has a size of its own (v, w) it is not known. */
enum pinsight_mpi_movement {
    PINSIGHT_MPI_NOTHING,
    PINSIGHT_MPI_ALL_TO_EACH,  /* each other member gets all that this one gives */
    PINSIGHT_MPI_PART_TO_EACH, /* each gets an equal part */
    PINSIGHT_MPI_ALL_TO_ROOT,
};

struct pinsight_mpi_function {
    uint32_t name;      /* in the model's strings */
    uint8_t kind, role; /* enum pinsight_mpi_kind, enum pinsight_mpi_role */
    uint8_t movement;   /* enum pinsight_mpi_movement */
    bool non_blocking;  /* makes a request and returns */
    bool persistent;    /* makes a request that MPI_Start starts */
    bool session;       /* begins a session, which MPI_Finalize does not end */
    bool blocks;        /* it returns when others have done something, and is for nothing else */
    bool removes;       /* a matching probe: takes its message from others */
};

/* Sets all but the name of a function. */
void pinsight_mpi_describe(struct pinsight_mpi_function *function, const char *name);

static inline bool pinsight_mpi_is_collective(const struct pinsight_mpi_function *function) {
    return function->role >= PINSIGHT_MPI_BARRIER &&
           function->role <= PINSIGHT_MPI_OTHER_COLLECTIVE;
}

#endif
