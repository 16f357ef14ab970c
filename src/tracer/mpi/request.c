/* Requests; see request.h. */
#include "tracer/mpi/request.h"

#include <stdatomic.h>
#include <stddef.h>

#define BUCKETS 8192u /* of two cache lines each: 1 MiB, of which only used pages take memory */
#define PLACES 4u
#define FARTHEST 64u /* buckets that are searched if the first ones are full */
#define TAKEN 1u     /* an id: the place is being filled in */

/* An entry with id 0 is free. A thread that changes the id from 0 to TAKEN owns the entry until it
 * sets another id. */
struct request_place {
    _Atomic uint64_t handle;
    _Atomic uint64_t id;
    _Atomic uint32_t how;
    _Atomic uint32_t version;
    _Atomic uint32_t farthest; /* in a bucket's first entry: the farthest bucket of its requests */
};

static struct request_place table[BUCKETS * PLACES] __attribute__((aligned(64)));
static _Atomic uint64_t last_id = TAKEN;
static _Atomic uint32_t version = 1;

static uint32_t bucket_of(uint64_t handle) {
    return (uint32_t)((handle * UINT64_C(0x9E3779B97F4A7C15)) >> 51);
}

static struct request_place *first_of(uint32_t bucket) {
    return &table[(bucket % BUCKETS) * PLACES];
}

static uint64_t put(uint64_t handle, uint64_t id, uint32_t how) {
    uint32_t home = bucket_of(handle), now = atomic_load_explicit(&version, memory_order_relaxed);
    for (uint32_t distance = 0; distance < FARTHEST; distance++) {
        struct request_place *at = first_of(home + distance);
        for (uint32_t i = 0; i < PLACES; i++) {
            uint64_t old = atomic_load_explicit(&at[i].id, memory_order_relaxed);
            if (old == TAKEN ||
                (old && atomic_load_explicit(&at[i].version, memory_order_relaxed) == now) ||
                !atomic_compare_exchange_strong(&at[i].id, &old, TAKEN))
                continue;
            atomic_store_explicit(&at[i].handle, handle, memory_order_relaxed);
            atomic_store_explicit(&at[i].how, how, memory_order_relaxed);
            atomic_store_explicit(&at[i].version, now, memory_order_relaxed);
            if (distance > atomic_load_explicit(&first_of(home)->farthest, memory_order_relaxed))
                /* of two racing threads, the smaller value may win */
                atomic_store(&first_of(home)->farthest, distance);
            atomic_store_explicit(&at[i].id, id, memory_order_release);
            return id;
        }
    }
    return 0; /* the table is full: the request is not followed */
}

/* Finds an entry by its handle, and its id. Of several entries, returns the oldest: another
 * thread's request can get a handle before the end of the call that freed it is seen. */
static struct request_place *find(uint64_t handle, uint64_t *id) {
    uint32_t home = bucket_of(handle), now = atomic_load_explicit(&version, memory_order_relaxed);
    uint32_t farthest = atomic_load_explicit(&first_of(home)->farthest, memory_order_relaxed);
    struct request_place *found = NULL;
    for (uint32_t distance = 0; distance <= farthest; distance++) {
        struct request_place *at = first_of(home + distance);
        for (uint32_t i = 0; i < PLACES; i++) {
            uint64_t one = atomic_load_explicit(&at[i].id, memory_order_acquire);
            if (one > TAKEN && (!found || one < *id) &&
                atomic_load_explicit(&at[i].handle, memory_order_relaxed) == handle &&
                atomic_load_explicit(&at[i].version, memory_order_relaxed) == now) {
                found = &at[i];
                *id = one;
            }
        }
    }
    return found;
}

uint64_t pinsight_mpi_request_made(uint64_t handle, uint32_t how) {
    return put(handle, atomic_fetch_add(&last_id, 1) + 1, how);
}

struct pinsight_pmpi_request pinsight_mpi_request_take(uint64_t handle) {
    struct pinsight_pmpi_request request = {0};
    uint64_t id;
    struct request_place *at;
    while ((at = find(handle, &id)) != NULL) {
        request.how = atomic_load_explicit(&at->how, memory_order_relaxed);
        if (request.how & PINSIGHT_MPI_REQUEST_PERSISTENT) {
            if (atomic_fetch_and(&at->how, ~PINSIGHT_MPI_REQUEST_ACTIVE) &
                PINSIGHT_MPI_REQUEST_ACTIVE)
                request.id = id;
            return request;
        }
        if (atomic_compare_exchange_strong(&at->id, &id, 0)) {
            request.id = id;
            return request;
        }
    }
    return request;
}

void pinsight_mpi_request_put_back(uint64_t handle, struct pinsight_pmpi_request request) {
    uint64_t id;
    if (!request.id)
        return;
    if (!(request.how & PINSIGHT_MPI_REQUEST_PERSISTENT)) {
        put(handle, request.id, request.how);
        return;
    }
    struct request_place *at = find(handle, &id);
    if (at)
        atomic_fetch_or(&at->how, PINSIGHT_MPI_REQUEST_ACTIVE);
}

uint64_t pinsight_mpi_request_started(uint64_t handle) {
    uint64_t id;
    struct request_place *at = find(handle, &id);
    if (!at)
        return 0;
    atomic_fetch_or(&at->how, PINSIGHT_MPI_REQUEST_ACTIVE);
    return id;
}

uint64_t pinsight_mpi_request_look(uint64_t handle) {
    uint64_t id;
    return find(handle, &id) ? id : 0;
}

void pinsight_mpi_request_freed(uint64_t handle) {
    uint64_t id;
    struct request_place *at = find(handle, &id);
    if (at)
        atomic_compare_exchange_strong(&at->id, &id, 0);
}

void pinsight_mpi_request_forget(void) {
    atomic_fetch_add(&version, 1);
}
