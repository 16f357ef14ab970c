/* Communicators; see comm.h. */
#include "tracer/mpi/comm.h"

#include "tracer/core/info.h"
#include "tracer/mpi/domain.h"
#include "tracer/mpi/flavour.h"
#include "tracer/record/mpi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pinsight_pmpi_comm pinsight_mpi_no_comm = {.rank = UINT32_MAX};
struct pinsight_pmpi_comm *_Atomic pinsight_mpi_comm_buckets[PINSIGHT_MPI_COMM_BUCKETS];
uint64_t pinsight_mpi_comm_null;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Constant after MPI is known to be initialised. */
static uint64_t world_context = 1, parent_handle, parent_context;
static uint32_t last_id = 2; /* under the lock; 1 and 2 are MPI_COMM_WORLD and MPI_COMM_SELF */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static void define(struct pinsight_pmpi_comm *comm) {
    uint32_t session_version = pinsight_session_version();
    if (pinsight_domain_mode(&pinsight_mpi_domain) != PINSIGHT_MODE_TRACING)
        return; /* defined when it is needed */
    if (atomic_exchange(&comm->defined, session_version) == session_version ||
        !pinsight_record_mpi_comm_info_enabled() || pinsight_process.silent || pinsight_stuck())
        return;
    PINSIGHT_INFO_TIMED(pinsight_record_mpi_comm_info(
        pinsight_process.pid, comm->id, comm->size, comm->rank, comm->remote_size, comm->context,
        *comm->name ? comm->name : "-", comm->ranks ? comm->ranks : "?"));
}

static struct pinsight_pmpi_comm *find_in(struct pinsight_pmpi_comm *_Atomic *bucket,
                                          uint64_t handle) {
    struct pinsight_pmpi_comm *comm = atomic_load_explicit(bucket, memory_order_acquire);
    while (comm && atomic_load_explicit(&comm->handle, memory_order_relaxed) != handle)
        comm = atomic_load_explicit(&comm->next, memory_order_acquire);
    return comm;
}

static struct pinsight_pmpi_comm *find(uint64_t handle) {
    return find_in(&pinsight_mpi_comm_buckets[pinsight_mpi_comm_bucket(handle)], handle);
}

/* Returns a place for a communicator: the old one with this handle, one that was freed, or a new
 * one in front. The lock is held. */
static struct pinsight_pmpi_comm *place(uint64_t handle) {
    struct pinsight_pmpi_comm *_Atomic *bucket =
        &pinsight_mpi_comm_buckets[pinsight_mpi_comm_bucket(handle)];
    struct pinsight_pmpi_comm *comm = find(handle);
    if (!comm)
        comm = find_in(bucket, 0);
    if (comm)
        return comm;
    comm = pinsight_lines_new(sizeof *comm);
    if (!comm)
        return NULL;
    atomic_store(&comm->next, atomic_load(bucket));
    atomic_store_explicit(bucket, comm, memory_order_release);
    return comm;
}

static uint64_t context_of_whole(const struct pinsight_pmpi_comm *parent, uint64_t count) {
    return parent->context ? mix(mix(parent->context, count), 5) | 1 : 0;
}

uint64_t pinsight_mpi_comm_next(const struct pinsight_pmpi_comm *parent) {
    return context_of_whole(parent, atomic_load(&parent->made));
}

void pinsight_mpi_comm_job(const char *job, uint64_t parent, uint64_t context) {
    for (; job && *job; job++)
        world_context = mix(world_context, (unsigned char)*job) | 1;
    if (context) {
        world_context = mix(context, 7) | 1;
        parent_handle = parent;
        parent_context = context;
    }
}

/* Computes a number that all members derive independently, from facts that they all know: the
 * group, and the number of communicators that they have made together before. */
static void number(struct pinsight_pmpi_comm *now, struct pinsight_pmpi_comm *parent,
                   uint64_t count, enum pinsight_mpi_made how) {
    static _Atomic uint32_t made_partly[16]; /* made by other groups, by a hash of these */
    if (parent && !now->group && how != PINSIGHT_MPI_PARTS)
        now->context = context_of_whole(parent, count);
    if (!now->group || (parent && !parent->context))
        return; /* some members belong to another world */
    if (parent)
        now->context = mix(mix(parent->context, count), now->group) | 1;
    else
        now->context =
            mix(mix(3, atomic_fetch_add(&made_partly[now->group % 16], 1)), now->group) | 1;
}

static struct pinsight_pmpi_comm *add(uint64_t handle, struct pinsight_pmpi_comm *parent,
                                      uint64_t count, enum pinsight_mpi_made how, bool is_new) {
    struct pinsight_pmpi_comm now = {0};
    if (how == PINSIGHT_MPI_LIKE) {
        now.is_inter = parent->is_inter;
        now.size = parent->size;
        now.rank = parent->rank;
        now.remote_size = parent->remote_size;
        now.group = parent->group;
        now.ranks = parent->ranks ? strdup(parent->ranks) : NULL;
    } else {
        pinsight_mpi_flavour_comm(handle, &now);
    }
    if (is_new)
        number(&now, parent, count, how);
    else if (handle == parent_handle)
        now.context = parent_context;
    pthread_mutex_lock(&lock);
    struct pinsight_pmpi_comm *comm = place(handle);
    if (!comm) {
        pthread_mutex_unlock(&lock);
        free(now.ranks);
        return &pinsight_mpi_no_comm;
    }
    if (handle == pinsight_mpi_flavour_comm_world()) {
        comm->id = 1;
        now.context = world_context;
    } else if (handle == pinsight_mpi_flavour_comm_self()) {
        comm->id = 2;
        now.context = mix(2, now.group) | 1;
    } else {
        comm->id = ++last_id;
    }
    atomic_store(&comm->handle, 0);
    free(comm->ranks);
    comm->is_inter = now.is_inter;
    comm->size = now.size;
    comm->rank = now.rank;
    comm->remote_size = now.remote_size;
    comm->group = now.group;
    comm->context = now.context;
    comm->ranks = now.ranks;
    memcpy(comm->name, now.name, sizeof comm->name);
    atomic_store(&comm->neighbours_known, false);
    atomic_store(&comm->made, 0);
    atomic_store(&comm->defined, 0);
    atomic_store_explicit(&comm->handle, handle, memory_order_release);
    pthread_mutex_unlock(&lock);
    return comm;
}

void pinsight_mpi_comm_freed(uint64_t handle) {
    pthread_mutex_lock(&lock);
    struct pinsight_pmpi_comm *comm = find(handle);
    if (comm)
        atomic_store(&comm->handle, 0);
    pthread_mutex_unlock(&lock);
}

struct pinsight_pmpi_comm *pinsight_mpi_comm_look(uint64_t handle) {
    if (handle == pinsight_mpi_comm_null || !atomic_load(&pinsight_mpi_is_ready))
        return &pinsight_mpi_no_comm;
    struct pinsight_pmpi_comm *comm = find(handle);
    if (!comm)
        comm = add(handle, NULL, 0, PINSIGHT_MPI_PARTS, false);
    if (comm->id)
        define(comm);
    return comm;
}

uint32_t pinsight_mpi_comm_made(uint64_t handle, struct pinsight_pmpi_comm *parent,
                                enum pinsight_mpi_made how) {
    uint64_t count = parent ? atomic_fetch_add(&parent->made, 1) : 0;
    pinsight_mpi_objects_loaded(); /* libraries that use MPI often make a communicator first */
    if (handle == pinsight_mpi_comm_null)
        return 0;
    struct pinsight_pmpi_comm *comm =
        add(handle, parent, count, parent ? how : PINSIGHT_MPI_PARTS, true);
    if (comm->id)
        define(comm);
    return comm->id;
}

void pinsight_mpi_comm_named(struct pinsight_pmpi_comm *comm) {
    if (!comm->id)
        return;
    pinsight_mpi_flavour_comm_name(atomic_load(&comm->handle), comm->name, sizeof comm->name);
    atomic_store(&comm->defined, 0);
    define(comm);
}

static void look_for_neighbours(struct pinsight_pmpi_comm *comm) {
    if (comm->id && !atomic_load(&comm->neighbours_known)) {
        pinsight_mpi_flavour_neighbours(atomic_load(&comm->handle), &comm->in, &comm->out);
        atomic_store(&comm->neighbours_known, true);
    }
}

uint32_t pinsight_mpi_in(struct pinsight_pmpi_comm *comm) {
    look_for_neighbours(comm);
    return comm->in;
}

uint32_t pinsight_mpi_out(struct pinsight_pmpi_comm *comm) {
    look_for_neighbours(comm);
    return comm->out;
}
