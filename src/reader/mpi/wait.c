/* Waits of calls: adds them to the sums of the waiting site, of the site that caused the wait, and
 * of the pair. */
#include "base/memory.h"
#include "reader/mpi/state.h"
#include "reader/simultaneous.h"

#include <stdlib.h>

/* After this many pairs of sites, waits are summed up by the waiting site alone. */
#define MOST_WAITS (1u << 18)

struct pinsight_mpi_interval *pinsight_mpi_interval_new(struct pinsight_mpi *mpi, uint32_t site,
                                                        enum pinsight_mpi_who who, uint64_t ns) {
    struct pinsight_mpi_interval *interval = pinsight_slab_take(&mpi->state->intervals);

    interval->refs = 1;
    interval->site = site;
    interval->who = (uint8_t)who;
    interval->begin_ns = interval->charged_ns = ns;
    return interval;
}

struct pinsight_mpi_interval *pinsight_mpi_interval_ref(struct pinsight_mpi_interval *interval) {
    if (interval)
        interval->refs++;
    return interval;
}

static void drop_causes(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval) {
    while (interval->causes) {
        struct pinsight_mpi_cause *cause = interval->causes;

        interval->causes = cause->next;
        pinsight_slab_give(&mpi->state->causes, cause);
    }
}

void pinsight_mpi_interval_unref(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval) {
    if (!interval || --interval->refs)
        return;
    drop_causes(mpi, interval);
    pinsight_slab_give(&mpi->state->intervals, interval);
}

void pinsight_mpi_interval_set(struct pinsight_mpi *mpi, struct pinsight_mpi_interval **place,
                               struct pinsight_mpi_interval *interval) {
    pinsight_mpi_interval_ref(interval);
    pinsight_mpi_interval_unref(mpi, *place);
    *place = interval;
}

static struct pinsight_mpi_wait_row *row_of(struct pinsight_mpi *mpi, uint8_t kind,
                                            uint32_t suffers, uint32_t causes) {

    if (mpi->wait_count >= MOST_WAITS)
        causes = PINSIGHT_NONE;
    return PINSIGHT_KEYED(&mpi->wait_map, suffers, causes, kind, mpi->waits, mpi->wait_count,
                          mpi->wait_capacity, .kind = kind, .suffers = suffers, .causes = causes);
}

/* Returns whether a call certainly ends after the cause of its wait. */
static bool surely_waits(uint8_t kind) {
    return kind == PINSIGHT_MPI_LATE_SENDER || kind == PINSIGHT_MPI_WAIT_BARRIER ||
           kind == PINSIGHT_MPI_WAIT_NXN || kind == PINSIGHT_MPI_LATE_BROADCAST ||
           kind == PINSIGHT_MPI_EARLY_REDUCE;
}

/* Accounts for the time of an interval until an activity elsewhere. Activities after its end caused
 * no wait: a buffered send returns before its message is received. */
static void apply(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval, uint8_t kind,
                  uint32_t site, uint64_t ns) {
    struct pinsight_mpi_wait_row *row;
    uint64_t time;

    if (surely_waits(kind))
        ns = pinsight_cause_ns(ns, interval->end_ns);
    if (ns <= interval->charged_ns || ns > interval->end_ns)
        return;
    time = ns - interval->charged_ns;
    row = row_of(mpi, kind, interval->site, site);
    row->count++;
    row->total_ns += time;
    if (time > row->max_ns) {
        row->max_ns = time;
        row->longest_at_ns = interval->charged_ns;
    }
    mpi->sites[interval->site].wait_ns[kind] += time;
    mpi->sites[site].caused_ns += time;
    if (interval->who != PINSIGHT_MPI_NOBODY)
        mpi->ranks[mpi->sites[interval->site].rank]->wait_ns[interval->who] += time;
    interval->charged_ns = ns;
}

void pinsight_mpi_charge(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval,
                         enum pinsight_mpi_wait_kind kind, uint32_t site, uint64_t ns) {
    struct pinsight_mpi_cause *cause, **at;

    if (!interval || ns <= interval->begin_ns)
        return;
    if (interval->ended) {
        apply(mpi, interval, (uint8_t)kind, site, ns);
        return;
    }
    cause = pinsight_slab_take(&mpi->state->causes);
    /* In the order of time, so that each gets the time after the one before. */
    for (at = &interval->causes; *at && (*at)->ns <= ns;)
        at = &(*at)->next;
    *cause =
        (struct pinsight_mpi_cause){.next = *at, .kind = (uint8_t)kind, .site = site, .ns = ns};
    *at = cause;
}

void pinsight_mpi_interval_end(struct pinsight_mpi *mpi, struct pinsight_mpi_interval *interval,
                               uint64_t ns) {
    if (interval->ended)
        return;
    interval->ended = true;
    interval->end_ns = ns;
    for (const struct pinsight_mpi_cause *cause = interval->causes; cause; cause = cause->next)
        apply(mpi, interval, cause->kind, cause->site, cause->ns);
    drop_causes(mpi, interval);
}
