/*
 * Communicators: a number and the properties of each. They are found by the handle without a lock,
 * and never freed, because another thread may be using them.
 */
#ifndef PINSIGHT_MPI_COMM_H
#define PINSIGHT_MPI_COMM_H

#include "tracer/core/inline.h"
#include "tracer/core/process.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_pmpi_comm {
    _Atomic uint64_t handle; /* 0 if it was freed */
    uint32_t id;             /* number in the trace */
    bool is_inter;
    uint32_t size, rank, remote_size;
    uint64_t group;           /* hash of the ranks of its members */
    uint64_t context;         /* equal in all its members; 0: unknown */
    _Atomic uint64_t made;    /* number of communicators that all its members made over it */
    _Atomic uint32_t defined; /* session version that has comm_info */
    _Atomic bool neighbours_known;
    uint32_t in, out;                        /* numbers of neighbours, if they are known */
    char *ranks;                             /* as in comm_info; NULL: unknown */
    char name[129];                          /* MPI_MAX_OBJECT_NAME is 64 or 128 */
    struct pinsight_pmpi_comm *_Atomic next; /* in the same bucket */
};

/* The communicator for MPI_COMM_NULL, and before MPI is initialised. */
extern struct pinsight_pmpi_comm pinsight_mpi_no_comm;

/* Returns the communicator with a handle. Adds it if PInsight did not see its creation. Records its
 * definition if a session listens. Never NULL. */
struct pinsight_pmpi_comm *pinsight_mpi_comm_look(uint64_t handle) PINSIGHT_COLD;

#define PINSIGHT_MPI_COMM_BUCKETS 1024
extern struct pinsight_pmpi_comm *_Atomic pinsight_mpi_comm_buckets[PINSIGHT_MPI_COMM_BUCKETS];
extern uint64_t pinsight_mpi_comm_null; /* the handle of MPI_COMM_NULL */

static inline uint32_t pinsight_mpi_comm_bucket(uint64_t handle) {
    return (uint32_t)((handle * UINT64_C(0x9E3779B97F4A7C15)) >> 54);
}

/* Returns whether a communicator has the handle and is defined in the trace. */
static inline bool pinsight_mpi_comm_is(const struct pinsight_pmpi_comm *comm, uint64_t handle) {
    return atomic_load_explicit(&comm->handle, memory_order_relaxed) == handle &&
           atomic_load_explicit(&comm->defined, memory_order_relaxed) == pinsight_session_version();
}

/* Like pinsight_mpi_comm_look(), for hot paths: finds the first communicator in a bucket without a
 * call. */
static inline struct pinsight_pmpi_comm *pinsight_mpi_comm_of(uint64_t handle) {
    struct pinsight_pmpi_comm *comm = atomic_load_explicit(
        &pinsight_mpi_comm_buckets[pinsight_mpi_comm_bucket(handle)], memory_order_acquire);
    return PINSIGHT_LIKELY(comm && pinsight_mpi_comm_is(comm, handle))
               ? comm
               : pinsight_mpi_comm_look(handle);
}

/* The relation of a communicator to its parent. */
enum pinsight_mpi_made {
    PINSIGHT_MPI_PARTS, /* members may have got different ones, with different groups */
    PINSIGHT_MPI_WHOLE, /* all members got the same one */
    PINSIGHT_MPI_LIKE,  /* like WHOLE, with the same group; MPI may not be asked about it yet */
};

/* Registers a communicator that was made, collectively over `parent` (NULL: not collectively).
 * Returns its number, or 0 for MPI_COMM_NULL. Must also be called if this process got none, so that
 * the count of the parent stays right. */
uint32_t pinsight_mpi_comm_made(uint64_t handle, struct pinsight_pmpi_comm *parent,
                                enum pinsight_mpi_made how);

/* Returns the context of the next communicator that is made over the whole parent and processes
 * that this call is about to start. Returns 0 if it is unknown. */
uint64_t pinsight_mpi_comm_next(const struct pinsight_pmpi_comm *parent);

/* Sets the name of the job, which all its processes know (NULL: unknown), and the communicator with
 * the processes that started it, with its context (both 0: none). Called before any communicator is
 * looked up. */
void pinsight_mpi_comm_job(const char *job, uint64_t parent, uint64_t context);

/* Called when a communicator got another name. */
void pinsight_mpi_comm_named(struct pinsight_pmpi_comm *comm);

/* Return the numbers of neighbours from which this process receives, and to which it sends. */
uint32_t pinsight_mpi_in(struct pinsight_pmpi_comm *comm);
uint32_t pinsight_mpi_out(struct pinsight_pmpi_comm *comm);

/* Called when a communicator was freed, because its handle may be reused. Any thread. */
void pinsight_mpi_comm_freed(uint64_t handle);

/* Return whether this process is the root of a collective operation, and whether it takes part.
 * `root` is as in the trace. */
static inline bool pinsight_mpi_at_root(const struct pinsight_pmpi_comm *comm, int root) {
    return comm->is_inter ? root == -3 : (uint32_t)root == comm->rank;
}
static inline bool pinsight_mpi_at_members(const struct pinsight_pmpi_comm *comm, int root) {
    return !comm->is_inter || root >= 0;
}

/* Returns the number of ranks that this process communicates with in a collective operation. */
static inline uint32_t pinsight_mpi_ranks(const struct pinsight_pmpi_comm *comm) {
    return comm->is_inter ? comm->remote_size : comm->size;
}

#endif
