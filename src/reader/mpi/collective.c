/* Collective operations. The n-th operations of all members of a communicator are one operation,
 * because all begin them in the same order (MPI 4.0 sections 6.1 and 6.12). */
#include "base/memory.h"
#include "reader/mpi/state.h"

#include <stdlib.h>

/* The most unfinished operations of one communicator. More mean that some members record operations
 * that others do not. */
#define MOST_OPEN 65536
/* The most members of all unfinished operations. */
#define MOST_PARTIES (UINT64_C(1) << 24)

/* Marks the number of a persistent operation, which has the operation's number in the communicator
 * in the high half, and the start's in the low half. */
#define PERSISTENT (UINT64_C(1) << 63)

void pinsight_mpi_instance_free(void *item, void *mpi) {
    struct pinsight_mpi_instance *instance = item;

    (void)mpi;
    free(instance->parties);
    instance->parties = NULL;
}

/* Frees an operation. */
static void release(struct pinsight_mpi *mpi, struct pinsight_mpi_instance *instance) {
    for (uint32_t i = 0; i < mpi->comms[instance->comm].member_count; i++)
        pinsight_mpi_interval_unref(mpi, instance->parties[i].interval);
    pinsight_mpi_instance_free(instance, mpi);
    mpi->comms[instance->comm].open--;
    mpi->state->parties -= mpi->comms[instance->comm].member_count;
    pinsight_pool_remove(&mpi->state->instances, instance);
}

/* Returns the later one of two members, the first in order if they entered at the same time. `last`
 * may be PINSIGHT_NONE, and `member` may take no part. */
static uint32_t later(const struct pinsight_mpi_instance *instance, uint32_t last,
                      uint32_t member) {
    const struct pinsight_mpi_party *parties = instance->parties;

    if (parties[member].root == PINSIGHT_MPI_PROC_NULL)
        return last;
    if (last == PINSIGHT_NONE || parties[member].begin_ns > parties[last].begin_ns ||
        (parties[member].begin_ns == parties[last].begin_ns && member < last))
        return member;
    return last;
}

/* Returns the member that entered last, except for one; PINSIGHT_NONE if there is none. */
static uint32_t last_without(const struct pinsight_mpi_instance *instance, uint32_t count,
                             uint32_t without) {
    uint32_t last = PINSIGHT_NONE;

    for (uint32_t i = 0; i < count; i++)
        if (i != without)
            last = later(instance, last, i);
    return last;
}

/* Notes that a member has entered. So each member that leaves knows the last one without a search:
 * there can be 10,000 members. */
static void note_entry(struct pinsight_mpi_instance *instance, uint32_t member) {
    instance->entered++;
    instance->last = later(instance, instance->last, member);
}

static void charge_all(struct pinsight_mpi *mpi, const struct pinsight_mpi_instance *instance,
                       uint32_t count, enum pinsight_mpi_wait_kind kind, uint32_t cause) {
    const struct pinsight_mpi_party *late = &instance->parties[cause];

    for (uint32_t i = 0; i < count; i++)
        if (i != cause && instance->parties[i].root != PINSIGHT_MPI_PROC_NULL)
            pinsight_mpi_charge(mpi, instance->parties[i].interval, kind, late->site,
                                late->begin_ns);
}

/* Returns the member that is the root, as reported by a member that has entered. In an
 * intercommunicator, the root reports itself, and the other members of its group take no part (MPI
 * 4.0 section 6.2.2). */
static uint32_t root_of(const struct pinsight_mpi_instance *instance,
                        const struct pinsight_mpi_comm *comm, uint32_t member) {
    for (uint32_t i = 0; comm->sizes[1] && i < comm->member_count; i++)
        if (instance->parties[i].root == PINSIGHT_MPI_ROOT)
            return i;
    if (comm->sizes[1] || instance->parties[member].root < 0 ||
        (uint32_t)instance->parties[member].root >= comm->member_count)
        return PINSIGHT_NONE;
    return (uint32_t)instance->parties[member].root;
}

uint64_t pinsight_mpi_awaited(const struct pinsight_mpi *mpi,
                              const struct pinsight_mpi_instance *instance, uint32_t member) {
    const struct pinsight_mpi_comm *comm = &mpi->comms[instance->comm];
    uint64_t own = instance->parties[member].begin_ns;
    bool all = instance->entered == comm->member_count;
    uint32_t root;

    if (instance->parties[member].root == PINSIGHT_MPI_PROC_NULL)
        return own;
    switch (mpi->functions[instance->function].role) {
    case PINSIGHT_MPI_OTHER_COLLECTIVE:
        return 0;
    case PINSIGHT_MPI_FROM_ROOT:
        root = root_of(instance, comm, member);
        if (root == member)
            return own;
        return root == PINSIGHT_NONE ? 0 : instance->parties[root].begin_ns;
    case PINSIGHT_MPI_TO_ROOT:
        root = root_of(instance, comm, member);
        if (root != PINSIGHT_NONE && root != member)
            return own;
        break;
    default:
        break;
    }
    return all ? instance->parties[instance->last].begin_ns : 0;
}

/* Charges the waits after all members have left. */
static void evaluate(struct pinsight_mpi *mpi, const struct pinsight_mpi_instance *instance) {
    const struct pinsight_mpi_comm *comm = &mpi->comms[instance->comm];
    uint32_t count = comm->member_count, root, last;

    switch (mpi->functions[instance->function].role) {
    case PINSIGHT_MPI_BARRIER:
        charge_all(mpi, instance, count, PINSIGHT_MPI_WAIT_BARRIER, instance->last);
        break;
    case PINSIGHT_MPI_N_TO_N:
        charge_all(mpi, instance, count, PINSIGHT_MPI_WAIT_NXN, instance->last);
        break;
    case PINSIGHT_MPI_WIN_FENCES:
    case PINSIGHT_MPI_WIN_CREATES:
    case PINSIGHT_MPI_WIN_FREES:
        charge_all(mpi, instance, count,
                   mpi->functions[instance->function].role == PINSIGHT_MPI_WIN_FENCES
                       ? PINSIGHT_MPI_WAIT_FENCE
                   : mpi->functions[instance->function].role == PINSIGHT_MPI_WIN_CREATES
                       ? PINSIGHT_MPI_WAIT_CREATE
                       : PINSIGHT_MPI_WAIT_FREE,
                   instance->last);
        break;
    case PINSIGHT_MPI_FROM_ROOT:
        root = root_of(instance, comm, 0);
        if (root != PINSIGHT_NONE)
            charge_all(mpi, instance, count, PINSIGHT_MPI_LATE_BROADCAST, root);
        break;
    case PINSIGHT_MPI_TO_ROOT:
        root = root_of(instance, comm, 0);
        last = root == PINSIGHT_NONE ? PINSIGHT_NONE : last_without(instance, count, root);
        if (last != PINSIGHT_NONE)
            pinsight_mpi_charge(mpi, instance->parties[root].interval, PINSIGHT_MPI_EARLY_REDUCE,
                                instance->parties[last].site, instance->parties[last].begin_ns);
        break;
    default:
        break;
    }
}

static struct pinsight_mpi_instance *instance_of(struct pinsight_mpi *mpi, uint32_t comm,
                                                 uint64_t number, uint32_t function) {
    struct pinsight_mpi_instance *instance =
        pinsight_pool_find(&mpi->state->instances, comm, number);

    if (instance)
        return instance;
    instance = pinsight_pool_add(&mpi->state->instances, comm, number);
    instance->comm = comm;
    instance->function = function;
    instance->last = PINSIGHT_NONE;
    instance->parties = pinsight_calloc(mpi->comms[comm].member_count, sizeof(*instance->parties));
    mpi->comms[comm].open++;
    mpi->state->parties += mpi->comms[comm].member_count;
    return instance;
}

/* Counts the data that a member gives to others. */
static void count_movement(struct pinsight_mpi *mpi, const struct pinsight_mpi_handle *handle,
                           const struct pinsight_mpi_function *function,
                           const struct pinsight_mpi_call *call) {
    struct pinsight_mpi_comm *comm = &mpi->comms[handle->comm];
    struct pinsight_mpi_member *me = &comm->members[handle->me];
    struct pinsight_mpi_edge *edge;

    if (comm->sizes[1] ||
        (function->role == PINSIGHT_MPI_FROM_ROOT && (uint32_t)call->root != handle->me))
        return;
    switch (function->movement) {
    case PINSIGHT_MPI_ALL_TO_EACH:
        me->each++;
        me->each_bytes += call->bytes;
        break;
    case PINSIGHT_MPI_PART_TO_EACH:
        me->each++;
        me->each_bytes += call->bytes / comm->member_count;
        break;
    case PINSIGHT_MPI_ALL_TO_ROOT:
        if ((uint32_t)call->root >= comm->member_count || (uint32_t)call->root == handle->me)
            break;
        edge = pinsight_mpi_edge_of(mpi, handle->comm, handle->me, (uint32_t)call->root);
        edge->gathers++;
        edge->gathered += call->bytes;
        break;
    default:
        break;
    }
}

struct pinsight_mpi_instance *
pinsight_mpi_enter(struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank, uint32_t site,
                   const struct pinsight_mpi_call *call, uint64_t series, uint64_t start,
                   uint64_t ns, uint32_t *member) {
    const struct pinsight_mpi_handle *handle = pinsight_mpi_handle_of(rank, call->comm);
    struct pinsight_mpi_comm *comm = handle ? &mpi->comms[handle->comm] : NULL;
    /* a persistent operation has another function than the site */
    uint32_t function = call->function;
    struct pinsight_mpi_instance *instance;
    struct pinsight_mpi_party *party;
    uint64_t number;

    if (comm)
        count_movement(mpi, handle, &mpi->functions[function], call);
    if (!comm || comm->given_up || (comm->is_partial && comm->member_count > 1))
        return NULL;
    if (comm->member_count == 1) {
        mpi->collectives++;
        comm->collectives++;
        return NULL;
    }
    *member = handle->me;
    number = series ? series + start : comm->members[handle->me].sequence++;
    if (mpi->state->parties > MOST_PARTIES) {
        comm->given_up = true;
        return NULL;
    }
    instance = instance_of(mpi, handle->comm, number, function);
    party = &instance->parties[handle->me];
    if (instance->function != function || party->entered || comm->open > MOST_OPEN) {
        mpi->misaligned += comm->open <= MOST_OPEN;
        pinsight_mpi_unsure(mpi);
        comm->given_up = true;
        if (!instance->entered)
            release(mpi, instance);
        return NULL;
    }
    party->entered = true;
    party->site = site;
    party->root = mpi->functions[function].role == PINSIGHT_MPI_TO_ROOT ||
                          mpi->functions[function].role == PINSIGHT_MPI_FROM_ROOT
                      ? call->root
                      : 0;
    party->begin_ns = ns;
    party->empty = !call->bytes;
    note_entry(instance, handle->me);
    return instance;
}

struct pinsight_mpi_instance *pinsight_mpi_enter_numbered(struct pinsight_mpi *mpi, uint32_t index,
                                                          uint32_t me, uint64_t number,
                                                          uint32_t function, uint32_t site,
                                                          uint64_t ns) {
    struct pinsight_mpi_comm *comm = &mpi->comms[index];
    struct pinsight_mpi_instance *instance;
    struct pinsight_mpi_party *party;

    if (comm->member_count == 1) {
        mpi->collectives++;
        comm->collectives++;
        return NULL;
    }
    if (comm->is_partial || mpi->state->parties > MOST_PARTIES || comm->open > MOST_OPEN)
        return NULL;
    instance = instance_of(mpi, index, number, function);
    party = &instance->parties[me];
    if (instance->function != function || party->entered) {
        mpi->misaligned++;
        pinsight_mpi_unsure(mpi);
        return NULL;
    }
    *party = (struct pinsight_mpi_party){.entered = true, .site = site, .begin_ns = ns};
    note_entry(instance, me);
    return instance;
}

void pinsight_mpi_leave(struct pinsight_mpi *mpi, struct pinsight_mpi_instance *instance,
                        uint32_t member, struct pinsight_mpi_interval *interval) {
    struct pinsight_mpi_party *party = &instance->parties[member];

    if (party->left)
        return;
    party->left = true;
    party->end_ns = interval ? mpi->state->now_ns : UINT64_MAX;
    party->interval = pinsight_mpi_interval_ref(interval);
    if (++instance->left < mpi->comms[instance->comm].member_count)
        return;
    mpi->collectives++;
    mpi->comms[instance->comm].collectives++;
    evaluate(mpi, instance);
    if (mpi->state->bounds)
        pinsight_mpi_relate(mpi, instance, root_of(instance, &mpi->comms[instance->comm], 0));
    release(mpi, instance);
}

uint64_t pinsight_mpi_series(struct pinsight_mpi *mpi, const struct pinsight_mpi_rank *rank,
                             const struct pinsight_mpi_call *call) {
    const struct pinsight_mpi_handle *handle = pinsight_mpi_handle_of(rank, call->comm);

    if (!handle)
        return 0;
    return PERSISTENT | (uint64_t)(++mpi->comms[handle->comm].members[handle->me].persistent) << 32;
}
