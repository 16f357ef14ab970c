/* The reader's facts about MPI's functions, by their names: which functions send, which wait, and
 * how the members of a collective operation depend on each other. A function that is not in the
 * table is only timed. */
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
    PINSIGHT_MPI_RECEIVES_PROBED, /* receives a message of a matching probe: MPI_Mrecv */
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
    /* One-sided communication, see window.c: collective over a communicator, or over a window. */
    PINSIGHT_MPI_WIN_CREATES,
    PINSIGHT_MPI_WIN_FENCES,
    PINSIGHT_MPI_WIN_FREES,
    PINSIGHT_MPI_WIN_POSTS,
    PINSIGHT_MPI_WIN_WAITS,
    PINSIGHT_MPI_WIN_STARTS,
    PINSIGHT_MPI_WIN_COMPLETES,
    PINSIGHT_MPI_WIN_ACCESSES, /* MPI_Put and similar functions, and flushes */
    PINSIGHT_MPI_WIN_LOCKS,
    PINSIGHT_MPI_WIN_UNLOCKS,
};

/* The data that goes from one member of a collective operation to another, by the meaning of the
 * operation and not by a library's method. It is unknown for scans and for operations in which each
 * pair has its own size (v, w). */
enum pinsight_mpi_movement {
    PINSIGHT_MPI_NOTHING,
    PINSIGHT_MPI_ALL_TO_EACH,  /* each other member gets all data of this one */
    PINSIGHT_MPI_PART_TO_EACH, /* each member gets an equal part */
    PINSIGHT_MPI_ALL_TO_ROOT,
    PINSIGHT_MPI_RESULT_TO_EACH, /* each member gets a result of all data, in an unknown way */
};

struct pinsight_mpi_function {
    uint32_t name;      /* in the model's strings */
    uint8_t kind, role; /* enum pinsight_mpi_kind, enum pinsight_mpi_role */
    uint8_t movement;   /* enum pinsight_mpi_movement */
    bool non_blocking;  /* makes a request and returns */
    bool persistent;    /* makes a request that MPI_Start starts */
    bool session;       /* begins a session, which MPI_Finalize does not end */
    bool blocks;        /* always waits until other ranks or operations have done their part */
    bool removes;       /* a matching probe: removes its message for other receives */
};

/* Sets all members of a function except for its name. */
void pinsight_mpi_describe(struct pinsight_mpi_function *function, const char *name);

static inline bool pinsight_mpi_is_collective(const struct pinsight_mpi_function *function) {
    return function->role >= PINSIGHT_MPI_BARRIER &&
           function->role <= PINSIGHT_MPI_OTHER_COLLECTIVE;
}

#endif
