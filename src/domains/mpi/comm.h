/*
 * Communicators: a number for each, and what is to be known of it. Found by the handle without a
 * lock; never freed, for another thread may be looking.
 */
#ifndef PINSIGHT_MPI_COMM_H
#define PINSIGHT_MPI_COMM_H

#include "core/inline.h"
#include "core/process.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_pmpi_comm {
    _Atomic uint64_t handle; /* 0 none any more */
    uint32_t id;             /* in the trace */
    bool is_inter;
    uint32_t size, rank, remote_size;
    uint64_t group;           /* hash of the ranks of its members */
    uint64_t context;         /* the same in all its members, 0 not known */
    _Atomic uint64_t made;    /* communicators that were made over it by all its members */
    _Atomic uint32_t defined; /* session version of the process when comm_info was recorded last */
    _Atomic bool neighbours_known;
    uint32_t in, out;                        /* neighbours, if they are known */
    char *ranks;                             /* as in comm_info; NULL where it is not known */
    char name[129];                          /* MPI_MAX_OBJECT_NAME is 64 or 128 */
    struct pinsight_pmpi_comm *_Atomic next; /* of the same bucket */
};

/* For MPI_COMM_NULL and before MPI is initialised. */
extern struct pinsight_pmpi_comm pinsight_mpi_no_comm;

/* The communicator with that handle; one that was not seen to be made gets known. Its definition is
 * recorded where somebody listens. Never NULL. */
struct pinsight_pmpi_comm *pinsight_mpi_comm_look(uint64_t handle) PINSIGHT_COLD;

#define PINSIGHT_MPI_COMM_BUCKETS 1024
extern struct pinsight_pmpi_comm *_Atomic pinsight_mpi_comm_buckets[PINSIGHT_MPI_COMM_BUCKETS];
extern uint64_t pinsight_mpi_comm_null; /* its handle */

static inline uint32_t pinsight_mpi_comm_bucket(uint64_t handle) {
    return (uint32_t)((handle * UINT64_C(0x9E3779B97F4A7C15)) >> 54);
}

/* Is it the one with that handle, and defined? */
static inline bool pinsight_mpi_comm_is(const struct pinsight_pmpi_comm *comm, uint64_t handle) {
    return atomic_load_explicit(&comm->handle, memory_order_relaxed) == handle &&
           atomic_load_explicit(&comm->defined, memory_order_relaxed) == pinsight_session_version();
}

/* The same for a hot path: finds one that is in its bucket's first place without a call. */
static inline struct pinsight_pmpi_comm *pinsight_mpi_comm_of(uint64_t handle) {
    struct pinsight_pmpi_comm *comm = atomic_load_explicit(
        &pinsight_mpi_comm_buckets[pinsight_mpi_comm_bucket(handle)], memory_order_acquire);
    return PINSIGHT_LIKELY(comm && pinsight_mpi_comm_is(comm, handle))
               ? comm
               : pinsight_mpi_comm_look(handle);
}

/* How a communicator has to do with the one that it was made over. */
enum pinsight_mpi_made {
    PINSIGHT_MPI_PARTS, /* members may have got different ones, which differ by their groups */
    PINSIGHT_MPI_WHOLE, /* all members got the same one */
    PINSIGHT_MPI_LIKE,  /* likewise; it has the same group, and MPI may not be asked about it yet */
};

/* A communicator was made, collectively over `parent` (NULL: not so). Returns its number, 0 for
 * MPI_COMM_NULL. To be called where none was given too, for what is counted. */
uint32_t pinsight_mpi_comm_made(uint64_t handle, struct pinsight_pmpi_comm *parent,
                                enum pinsight_mpi_made how);

/* The context that the next one gets that is made over it as a whole, with processes that are not
 * known: those that this call is about to start. 0 where it is not known. */
uint64_t pinsight_mpi_comm_next(const struct pinsight_pmpi_comm *parent);

/* Before any is looked at: which job this is, as all its processes know it (NULL: not known); and
 * the communicator with those that started it, with its context (both 0: none). */
void pinsight_mpi_comm_job(const char *job, uint64_t parent, uint64_t context);

/* It got another name. */
void pinsight_mpi_comm_named(struct pinsight_pmpi_comm *comm);

/* Neighbours that this process gets from, and that it sends to. */
uint32_t pinsight_mpi_in(struct pinsight_pmpi_comm *comm);
uint32_t pinsight_mpi_out(struct pinsight_pmpi_comm *comm);

/* It was freed: its handle may come to mean another. Any thread. */
void pinsight_mpi_comm_freed(uint64_t handle);

/* Is this process the root of a collective operation, and does it take part in one? `root` as in
 * the trace. */
static inline bool pinsight_mpi_at_root(const struct pinsight_pmpi_comm *comm, int root) {
    return comm->is_inter ? root == -3 : (uint32_t)root == comm->rank;
}
static inline bool pinsight_mpi_at_members(const struct pinsight_pmpi_comm *comm, int root) {
    return !comm->is_inter || root >= 0;
}

/* How many ranks this one has to do with in a collective operation. */
static inline uint32_t pinsight_mpi_ranks(const struct pinsight_pmpi_comm *comm) {
    return comm->is_inter ? comm->remote_size : comm->size;
}

#endif
