/* Writes which clocks of hosts cannot be right: a message arrives before it is sent by them. */
#include "base/memory.h"
#include "base/order.h"
#include "base/units.h"
#include "views/mpi/mpi.h"
#include "views/report/head.h"

#include <stdlib.h>

/* The messages from a host to another one. */
struct host_pair {
    uint32_t from, to;   /* numbers of the hosts */
    uint32_t names[2];   /* strings: their names */
    int64_t shortest_ns; /* from the begin of a send to the arrival; negative if clocks differ */
};

struct host_pairs {
    struct host_pair *items;
    size_t count, capacity;
};

static int by_hosts(const void *a, const void *b) {
    const struct host_pair *one = a, *other = b;

    if (one->from != other->from)
        return one->from < other->from ? -1 : 1;
    if (one->to != other->to)
        return one->to < other->to ? -1 : 1;
    return (one->shortest_ns > other->shortest_ns) - (one->shortest_ns < other->shortest_ns);
}

static bool is_same(const struct host_pair *one, const struct host_pair *other) {
    return one->from == other->from && one->to == other->to;
}

/* Returns whether an edge of a trace has a message that arrives before it is sent. */
static bool has_early(const struct pinsight_mpi *mpi) {
    for (size_t i = 0; i < mpi->edge_count; i++)
        if (mpi->edges[i].timed && mpi->edges[i].shortest_ns < 0)
            return true;
    return false;
}

/* Adds the hosts of an edge, if they are two. */
static void add_edge(const struct pinsight_mpi *mpi, const struct pinsight_mpi_edge *edge,
                     struct host_pairs *pairs) {
    uint32_t world, source = pinsight_mpi_member(mpi, edge->comm, edge->source, &world);
    uint32_t dest = pinsight_mpi_member(mpi, edge->comm, edge->dest, &world);
    const struct pinsight_process *from, *to;

    if (!edge->timed || source == PINSIGHT_NONE || dest == PINSIGHT_NONE)
        return;
    from = mpi->ranks[source]->process;
    to = mpi->ranks[dest]->process;
    if (from->host != to->host)
        *PINSIGHT_ADD(pairs->items, pairs->count, pairs->capacity) =
            (struct host_pair){.from = from->host,
                               .to = to->host,
                               .names = {from->hostname, to->hostname},
                               .shortest_ns = edge->shortest_ns};
}

/* Keeps the shortest time of each pair, in the order of hosts. */
static void join(struct host_pairs *pairs) {
    size_t kept = 0;

    PINSIGHT_SORT(pairs->items, pairs->count, by_hosts);
    for (size_t i = 0; i < pairs->count; i++)
        if (!kept || !is_same(&pairs->items[kept - 1], &pairs->items[i]))
            pairs->items[kept++] = pairs->items[i];
    pairs->count = kept;
}

/* Returns the messages in the other direction, or NULL. */
static const struct host_pair *back_of(const struct host_pairs *pairs,
                                       const struct host_pair *pair) {
    const struct host_pair back = {.from = pair->to, .to = pair->from, .shortest_ns = INT64_MIN};
    size_t first = 0, last = pairs->count;

    while (first < last) {
        size_t middle = first + (last - first) / 2;

        if (by_hosts(&pairs->items[middle], &back) < 0)
            first = middle + 1;
        else
            last = middle;
    }
    return first < pairs->count && is_same(&pairs->items[first], &back) ? &pairs->items[first]
                                                                        : NULL;
}

static void write_pair(const struct pinsight_report *report, FILE *out,
                       const struct host_pairs *pairs, const struct host_pair *pair,
                       size_t others) {
    const char *from = pinsight_report_string(report, pair->names[0]);
    const char *to = pinsight_report_string(report, pair->names[1]);
    const struct host_pair *back = back_of(pairs, pair);
    uint64_t least = (uint64_t)-pair->shortest_ns;
    char *most = NULL, *more = NULL;

    /* With a clock that is ahead by D, a message back takes its true time, and D. */
    if (back && back->shortest_ns >= (int64_t)least)
        most = pinsight_format(" and at most %s",
                               pinsight_units_time((uint64_t)back->shortest_ns).text);
    else if (back)
        most = pinsight_format(", but at other times it is not, because their clocks drift");
    if (others)
        more = pinsight_format(" %zu more pair%s of hosts %s such messages.", others,
                               others == 1 ? "" : "s", others == 1 ? "has" : "have");
    pinsight_head_warn(report, out,
                       "Messages from %s to %s arrive up to %s before they are sent: the clock of "
                       "%s is ahead by at least that%s. Waits between hosts are wrong by as "
                       "much.%s",
                       from, to, pinsight_units_time(least).text, from, most ? most : "",
                       more ? more : "");
    PINSIGHT_FREE(most, more);
}

void pinsight_mpi_print_clocks(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    const struct host_pair *worst = NULL;
    struct host_pairs pairs = {0};
    size_t early = 0;

    if (!has_early(mpi))
        return;
    for (size_t i = 0; i < mpi->edge_count; i++)
        add_edge(mpi, &mpi->edges[i], &pairs);
    join(&pairs);
    for (size_t i = 0; i < pairs.count; i++) {
        if (pairs.items[i].shortest_ns >= 0)
            continue;
        early++;
        if (!worst || pairs.items[i].shortest_ns < worst->shortest_ns)
            worst = &pairs.items[i];
    }
    if (worst)
        write_pair(report, out, &pairs, worst, early - 1);
    free(pairs.items);
}
