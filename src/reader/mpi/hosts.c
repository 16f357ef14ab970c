/* What messages and collective operations say of the hosts' clocks. */
#include "base/memory.h"
#include "base/order.h"
#include "reader/mpi/state.h"

#include <stdlib.h>

uint32_t pinsight_mpi_host(const struct pinsight_mpi *mpi, uint32_t comm, uint32_t member) {
    uint32_t world, rank = pinsight_mpi_member(mpi, comm, member, &world);

    return rank == PINSIGHT_NONE ? PINSIGHT_NONE : mpi->ranks[rank]->process->host;
}

void pinsight_mpi_precedes(const struct pinsight_mpi *mpi, uint32_t from, uint64_t from_ns,
                           uint32_t to, uint64_t to_ns) {
    if (from != PINSIGHT_NONE && to != PINSIGHT_NONE)
        pinsight_bounds_add(mpi->state->bounds, from, from_ns, to, to_ns);
}

/* Returns whether no member can leave before the others have entered. Members without data may. */
static bool waits_for_all(const struct pinsight_mpi_function *function) {
    return function->role == PINSIGHT_MPI_BARRIER ||
           (function->role == PINSIGHT_MPI_N_TO_N && function->movement != PINSIGHT_MPI_NOTHING);
}

/* The last entry into an operation, of members with data, and the first exit, on a host. */
struct host_visit {
    uint32_t host;
    uint64_t entry_ns, exit_ns; /* 0 and UINT64_MAX: unknown */
};

static int by_host(const void *a, const void *b) {
    const struct host_visit *one = a, *other = b;

    return (one->host > other->host) - (one->host < other->host);
}

/* Makes the visits of all hosts. The first one is that of the first member's host. Without data
 * entries count if `all`. The caller frees them. */
static struct host_visit *make_visits(const struct pinsight_mpi *mpi,
                                      const struct pinsight_mpi_instance *instance, bool all,
                                      size_t *count) {
    uint32_t members = mpi->comms[instance->comm].member_count;
    struct host_visit *visits = pinsight_calloc(members, sizeof(*visits)), first;
    uint32_t hub = pinsight_mpi_host(mpi, instance->comm, 0);
    size_t hosts = 0;

    for (uint32_t i = 0; i < members; i++) {
        const struct pinsight_mpi_party *party = &instance->parties[i];

        visits[i] = (struct host_visit){pinsight_mpi_host(mpi, instance->comm, i),
                                        all || !party->empty ? party->begin_ns : 0, party->end_ns};
    }
    PINSIGHT_SORT(visits, members, by_host);
    for (uint32_t i = 0; i < members; i++) {
        struct host_visit *last = hosts ? &visits[hosts - 1] : NULL;

        if (!last || last->host != visits[i].host) {
            visits[hosts++] = visits[i];
            continue;
        }
        if (visits[i].entry_ns > last->entry_ns)
            last->entry_ns = visits[i].entry_ns;
        if (visits[i].exit_ns < last->exit_ns)
            last->exit_ns = visits[i].exit_ns;
    }
    for (size_t i = 0; i < hosts; i++)
        if (visits[i].host == hub) {
            first = visits[0];
            visits[0] = visits[i];
            visits[i] = first;
        }
    *count = hosts;
    return visits;
}

static void relate(const struct pinsight_mpi *mpi, const struct host_visit *from,
                   const struct host_visit *to) {
    if (from->entry_ns)
        pinsight_mpi_precedes(mpi, from->host, from->entry_ns, to->host, to->exit_ns);
}

/* Relates each host with the first one, in both directions, and with the last entry and the first
 * exit: if any entry is later than any exit, these are. So the cost grows with the hosts, and not
 * with their pairs. */
static void relate_all(struct pinsight_mpi *mpi, const struct pinsight_mpi_instance *instance,
                       bool all) {
    size_t count, last = 0, first = 0;
    struct host_visit *visits = make_visits(mpi, instance, all, &count);

    for (size_t i = 1; i < count; i++) {
        last = visits[i].entry_ns > visits[last].entry_ns ? i : last;
        first = visits[i].exit_ns < visits[first].exit_ns ? i : first;
    }
    for (size_t i = 0; i < count; i++) {
        relate(mpi, &visits[0], &visits[i]);
        relate(mpi, &visits[i], &visits[0]);
        if (last)
            relate(mpi, &visits[last], &visits[i]);
        if (first)
            relate(mpi, &visits[i], &visits[first]);
    }
    free(visits);
}

void pinsight_mpi_relate(struct pinsight_mpi *mpi, const struct pinsight_mpi_instance *instance,
                         uint32_t root) {
    const struct pinsight_mpi_function *function = &mpi->functions[instance->function];
    const struct pinsight_mpi_comm *comm = &mpi->comms[instance->comm];
    const struct pinsight_mpi_party *parties = instance->parties;
    uint32_t root_host;

    if (comm->sizes[1])
        return;
    if (waits_for_all(function))
        relate_all(mpi, instance, function->role == PINSIGHT_MPI_BARRIER);
    if (root == PINSIGHT_NONE || function->movement == PINSIGHT_MPI_NOTHING)
        return;
    root_host = pinsight_mpi_host(mpi, instance->comm, root);
    for (uint32_t i = 0; i < comm->member_count; i++) {
        uint32_t host = pinsight_mpi_host(mpi, instance->comm, i);

        if (function->role == PINSIGHT_MPI_FROM_ROOT && !parties[root].empty)
            pinsight_mpi_precedes(mpi, root_host, parties[root].begin_ns, host, parties[i].end_ns);
        else if (function->role == PINSIGHT_MPI_TO_ROOT && !parties[i].empty)
            pinsight_mpi_precedes(mpi, host, parties[i].begin_ns, root_host, parties[root].end_ns);
    }
}
