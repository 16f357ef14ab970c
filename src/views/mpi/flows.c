/* Makes the rows of ranks, and the flows between ranks; see maker.h. */
#include "base/memory.h"
#include "base/order.h"
#include "views/mpi/maker.h"

#include <stdlib.h>

static struct pinsight_mpi_rank_row *add_rank(struct pinsight_mpi_view *view, size_t *capacity,
                                              const struct pinsight_mpi_rank_row *row) {
    view->ranks = pinsight_grow(view->ranks, view->rank_count, capacity, sizeof(*view->ranks));
    view->ranks[view->rank_count] = *row;
    return &view->ranks[view->rank_count++];
}

static int by_number(const void *left, const void *right) {
    const struct pinsight_mpi_rank_row *a = left, *b = right;

    bool both = a->rank && b->rank;

    /* Ranks that an MPI program spawned have an MPI_COMM_WORLD of their own. */
    return (both ? BY(a->rank->world, b->rank->world) : 0) ?: BY(a->number, b->number)
        ?: (both ? BY(a->rank->index, b->rank->index) : BY(a->rank == NULL, b->rank == NULL));
}

/* Sets the key that finds a communicator's member among rank rows. */
static void rank_key(const struct pinsight_mpi_maker *maker, uint32_t comm, uint32_t member,
                     uint32_t *a, uint32_t *b) {
    uint32_t world, rank = pinsight_mpi_member(maker->mpi, comm, member, &world);

    *a = rank != PINSIGHT_NONE ? rank : world != PINSIGHT_MPI_NO_RANK ? world : member;
    *b = rank != PINSIGHT_NONE ? 0 : world != PINSIGHT_MPI_NO_RANK ? 1 : 2 + comm;
}

static void add_missing(struct pinsight_mpi_maker *maker, size_t *capacity, uint32_t comm,
                        uint32_t member) {
    uint32_t a, b;

    rank_key(maker, comm, member, &a, &b);
    if (!b || pinsight_map_get(&maker->ranks, a, b, 0) != PINSIGHT_MAP_NONE)
        return;
    pinsight_map_set(&maker->ranks, a, b, 0, 0);
    add_rank(maker->view, capacity,
             &(struct pinsight_mpi_rank_row){.number = b == 1 ? a : PINSIGHT_MPI_NO_RANK});
}

void pinsight_mpi_ranks_make(struct pinsight_mpi_maker *maker) {
    const struct pinsight_mpi *mpi = maker->mpi;
    struct pinsight_mpi_view *view = maker->view;
    size_t capacity = 0;

    for (size_t i = 0; i < mpi->rank_count; i++) {
        const struct pinsight_mpi_rank *rank = mpi->ranks[i];
        struct pinsight_mpi_rank_row row = {.rank = rank, .number = rank->rank};
        enum pinsight_mpi_who who = pinsight_mpi_who(rank);

        row.wall_ns = rank->end_ns > rank->begin_ns ? rank->end_ns - rank->begin_ns : 0;
        row.mpi_ns = rank->mpi_ns[who] < row.wall_ns ? rank->mpi_ns[who] : row.wall_ns;
        row.wait_ns = rank->wait_ns[who] < row.mpi_ns ? rank->wait_ns[who] : row.mpi_ns;
        row.open_ns = rank->open_ns[who] < row.mpi_ns ? rank->open_ns[who] : row.mpi_ns;
        row.others_ns = rank->mpi_ns[PINSIGHT_MPI_OTHERS];
        row.by_others = who == PINSIGHT_MPI_OTHERS;
        view->others |= rank->made[PINSIGHT_MPI_OTHERS] > 0;
        row.useful_ns = row.wall_ns - row.mpi_ns;
        row.calls = rank->calls;
        add_rank(view, &capacity, &row);
    }
    for (size_t i = 0; i < mpi->edge_count; i++) {
        add_missing(maker, &capacity, mpi->edges[i].comm, mpi->edges[i].source);
        add_missing(maker, &capacity, mpi->edges[i].comm, mpi->edges[i].dest);
    }
    PINSIGHT_SORT(view->ranks, view->rank_count, by_number);
    pinsight_map_clear(&maker->ranks);
    maker->rank_rows = pinsight_calloc(mpi->rank_count + 1, sizeof(*maker->rank_rows));
    for (uint32_t i = 0; i < view->rank_count; i++) {
        if (view->ranks[i].rank) {
            maker->rank_rows[view->ranks[i].rank->index] = i;
            pinsight_map_set(&maker->ranks, view->ranks[i].rank->index, 0, 0, i);
        } else {
            pinsight_map_set(&maker->ranks, view->ranks[i].number, 1, 0, i);
        }
    }
}

/* Returns the row of a communicator's member. All members with an unknown rank share a row. */
static uint32_t rank_row(const struct pinsight_mpi_maker *maker, uint32_t comm, uint32_t member) {
    uint32_t a, b, row;

    rank_key(maker, comm, member, &a, &b);
    row = pinsight_map_get(&maker->ranks, b > 1 ? PINSIGHT_MPI_NO_RANK : a, b ? 1 : 0, 0);
    return row == PINSIGHT_MAP_NONE ? 0 : row;
}

ORDER(by_ranks, struct pinsight_mpi_flow, BY(a->from, b->from) ?: BY(a->to, b->to))

static struct pinsight_mpi_flow *flow_of(struct pinsight_mpi_maker *maker, size_t *capacity,
                                         uint32_t comm, uint32_t source, uint32_t dest) {
    struct pinsight_mpi_view *view = maker->view;
    uint32_t from = rank_row(maker, comm, source), to = rank_row(maker, comm, dest);
    uint32_t flow = pinsight_map_get(&maker->flows, from, to, 0);

    if (flow == PINSIGHT_MAP_NONE) {
        view->flows = pinsight_grow(view->flows, view->flow_count, capacity, sizeof(*view->flows));
        flow = (uint32_t)view->flow_count++;
        pinsight_map_set(&maker->flows, from, to, 0, flow);
        view->flows[flow] = (struct pinsight_mpi_flow){.from = from, .to = to};
    }
    return &view->flows[flow];
}

/* Adds the data that a member gave to each other member. */
static void distribute(struct pinsight_mpi_maker *maker, size_t *capacity, uint32_t comm,
                       uint32_t member) {
    const struct pinsight_mpi_comm *entry = &maker->mpi->comms[comm];

    for (uint32_t i = 0; i < entry->member_count; i++) {
        struct pinsight_mpi_flow *flow;

        if (i == member)
            continue;
        flow = flow_of(maker, capacity, comm, member, i);
        flow->operations += entry->members[member].each;
        flow->collective_bytes += entry->members[member].each_bytes;
    }
}

void pinsight_mpi_flows_make(struct pinsight_mpi_maker *maker) {
    const struct pinsight_mpi *mpi = maker->mpi;
    struct pinsight_mpi_view *view = maker->view;
    size_t capacity = 0;

    for (size_t i = 0; i < mpi->edge_count; i++) {
        const struct pinsight_mpi_edge *edge = &mpi->edges[i];
        struct pinsight_mpi_flow *flow =
            flow_of(maker, &capacity, edge->comm, edge->source, edge->dest);

        flow->messages += edge->messages;
        flow->bytes += edge->bytes;
        flow->received += edge->received;
        flow->matched += edge->matched;
        flow->operations += edge->gathers;
        flow->collective_bytes += edge->gathered;
        view->ranks[flow->from].sent += edge->messages;
        view->ranks[flow->from].sent_bytes += edge->bytes;
        view->ranks[flow->to].received += edge->received;
    }
    for (uint32_t c = 0; c < mpi->comm_count; c++)
        for (uint32_t m = 0; m < mpi->comms[c].member_count; m++)
            if (mpi->comms[c].members[m].each)
                distribute(maker, &capacity, c, m);
    PINSIGHT_SORT(view->flows, view->flow_count, by_ranks);
}
