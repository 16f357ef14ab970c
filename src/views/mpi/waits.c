/* Makes the lists of wait states, by line and by pairs of ranks, and the words for wait states. */
#include "base/memory.h"
#include "base/order.h"
#include "base/words.h"
#include "views/mpi/mpi.h"

#include <stdlib.h>
#include <string.h>

const char *pinsight_mpi_kind_word(unsigned kind) {
    return PINSIGHT_WORD(kind, "?", "p2p", "collective", "completion", "one_sided", "io", "comm",
                         "datatype", "environment");
}

const char *pinsight_mpi_wait_word(unsigned kind) {
    return PINSIGHT_WORD(kind, "?", "late_sender", "late_receiver", "wait_at_barrier",
                         "wait_at_nxn", "early_reduce", "late_broadcast", "wait_at_fence",
                         "wait_at_create", "wait_at_free", "late_post", "early_wait",
                         "late_complete", "lock_contention");
}

const char *pinsight_mpi_wait_words(unsigned kind) {
    return PINSIGHT_WORD(kind, "?", "late sender", "late receiver", "wait at barrier",
                         "wait at NxN", "early reduce", "late broadcast", "wait at fence",
                         "wait at create", "wait at free", "late post", "early wait",
                         "late complete", "lock contention");
}

bool pinsight_mpi_seen(const struct pinsight_report *report) {
    return report->mpi && report->mpi->all.calls;
}

const char *pinsight_mpi_none(const struct pinsight_report *report) {
    if (pinsight_report_has_domain(report, "MPI"))
        return "MPI was there, and no call was recorded: the program made none, or its mode or a "
               "window left all of them out.";
    return "No MPI was recorded: it was not asked for (--domains python,mpi), or the program used "
           "no MPI that PInsight was built for; `pinsight doctor` says which these are.";
}

/* Sorts by lines, then by pairs of ranks. */
ORDER(by_lines, struct pinsight_mpi_wait,
      BY(a->kind, b->kind) ?: BY(a->suffers, b->suffers) ?: BY(a->causes, b->causes)
        ?: BY(a->suffering_rank, b->suffering_rank) ?: BY(a->causing_rank, b->causing_rank))

ORDER(by_time, struct pinsight_mpi_wait, BY(b->total_ns, a->total_ns) ?: by_lines(a, b))

static void add(struct pinsight_mpi_wait *to, const struct pinsight_mpi_wait *from) {
    to->count += from->count;
    to->total_ns += from->total_ns;
    if (from->max_ns > to->max_ns) {
        to->max_ns = from->max_ns;
        to->longest_at_ns = from->longest_at_ns;
    }
}

/* Merges rows with the same lines and ranks. Returns the number of rows left. */
static size_t merge(struct pinsight_mpi_wait *rows, size_t count) {
    size_t merged = 0;

    PINSIGHT_SORT(rows, count, by_lines);
    for (size_t i = 0; i < count; i++)
        if (merged && !by_lines(&rows[merged - 1], &rows[i]))
            add(&rows[merged - 1], &rows[i]);
        else
            rows[merged++] = rows[i];
    return merged;
}

/* Returns the rank with the most time among pairs with the same lines. Sets *ranks to the number of
 * ranks. */
static uint32_t foremost(const struct pinsight_mpi_wait *rows, size_t count, bool suffering,
                         uint64_t *times, size_t rank_count, uint32_t *ranks) {
    uint32_t most = 0;

    memset(times, 0, rank_count * sizeof(*times));
    *ranks = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t rank = suffering ? rows[i].suffering_rank : rows[i].causing_rank;

        *ranks += !times[rank];
        times[rank] += rows[i].total_ns;
    }
    for (uint32_t i = 0; i < rank_count; i++)
        if (times[i] > times[most])
            most = i;
    return most;
}

static void make_groups(struct pinsight_mpi_view *view) {
    uint64_t *times = pinsight_calloc(view->rank_count + 1, sizeof(*times));
    size_t end;

    view->waits = pinsight_calloc(view->pair_count + 1, sizeof(*view->waits));
    for (size_t start = 0; start < view->pair_count; start = end) {
        struct pinsight_mpi_wait *group = &view->waits[view->wait_count++];

        *group = view->pairs[start];
        for (end = start + 1;
             end < view->pair_count && view->pairs[end].kind == group->kind &&
             view->pairs[end].suffers == group->suffers && view->pairs[end].causes == group->causes;
             end++)
            add(group, &view->pairs[end]);
        group->suffering_rank = foremost(&view->pairs[start], end - start, true, times,
                                         view->rank_count, &group->suffering_ranks);
        group->causing_rank = foremost(&view->pairs[start], end - start, false, times,
                                       view->rank_count, &group->causing_ranks);
    }
    free(times);
}

void pinsight_mpi_waits_make(const struct pinsight_report *report, struct pinsight_mpi_view *view,
                             const uint32_t *rank_rows) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);

    view->pairs = pinsight_calloc(mpi->wait_count + 1, sizeof(*view->pairs));
    for (size_t i = 0; i < mpi->wait_count; i++) {
        const struct pinsight_mpi_wait_row *row = &mpi->waits[i];
        const struct pinsight_mpi_site *suffers = &mpi->sites[row->suffers];
        const struct pinsight_mpi_site *causes =
            row->causes == PINSIGHT_NONE ? suffers : &mpi->sites[row->causes];

        if (!mpi->ranks[suffers->rank]->process->selected)
            continue;
        view->wait_ns[row->kind] += row->total_ns;
        view->pairs[view->pair_count++] =
            (struct pinsight_mpi_wait){.kind = row->kind,
                                       .suffers = view->site_lines[row->suffers],
                                       .causes = view->site_lines[causes - mpi->sites],
                                       .suffering_rank = rank_rows[suffers->rank],
                                       .causing_rank = rank_rows[causes->rank],
                                       .count = row->count,
                                       .total_ns = row->total_ns,
                                       .max_ns = row->max_ns,
                                       .longest_at_ns = row->longest_at_ns};
    }
    view->pair_count = merge(view->pairs, view->pair_count);
    make_groups(view);
    PINSIGHT_SORT(view->pairs, view->pair_count, by_time);
    PINSIGHT_SORT(view->waits, view->wait_count, by_time);
}
