/* MPI in a few lines, for the summary. */
#include "views/mpi/mpi.h"

#include "base/memory.h"
#include "base/units.h"
#include "views/report/head.h"

#include <inttypes.h>
#include <stdlib.h>

/* Narrower screens leave out the parts of communication. */
#define WIDTH_FOR_PARTS 110

/* Writes a line such as "MPI 2 ranks: 253 ms of 553 ms (45.7 %), of it 247 ms waiting; sent 23.4
 * MiB". If calls did not return, its end is such as "of it 3.27 s hanging, 20.3 ms waiting". */
static void print_ranks(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_view *view = report->mpi;
    struct pinsight_mpi_times times = pinsight_mpi_times_of(report);

    if (!times.wall_ns && pinsight_mpi_only_counted(report)) {
        pinsight_head_line(report, out,
                           "MPI %zu rank%s: how long each waits, and for whom, needs "
                           "TRACING",
                           times.ranks, times.ranks == 1 ? "" : "s");
        return;
    }
    char *rest = times.open_ns
                     ? pinsight_format("%s hanging, ", pinsight_units_time(times.open_ns).text)
                     : pinsight_strdup("");

    pinsight_append(&rest, "%s waiting", pinsight_units_time(times.wait_ns).text);
    if (view->all.sent_bytes && !times.open_ns)
        pinsight_append(&rest, PINSIGHT_HEAD_PART "; sent %s",
                        pinsight_units_size(view->all.sent_bytes).text);
    pinsight_head_line(
        report, out, "MPI %zu rank%s: %s of %s (%s %%)" PINSIGHT_HEAD_PART ", of it %s",
        times.ranks, times.ranks == 1 ? "" : "s", pinsight_units_time(times.mpi_ns).text,
        pinsight_units_time(times.wall_ns).text,
        pinsight_units_percent(times.mpi_ns, times.wall_ns).text, rest);
    free(rest);
}

void pinsight_mpi_print_efficiency(const struct pinsight_report *report, FILE *out, bool parts) {
    const struct pinsight_mpi_efficiency *e = &report->mpi->efficiency;
    char *rest = NULL;

    if (!e->known)
        return;
    rest = e->parts_known && parts ? pinsight_format(" (serialisation %.1f %% × transfer %.1f %%)",
                                                     100 * e->serialisation, 100 * e->transfer)
                                   : pinsight_strdup("");
    pinsight_head_note(report, out,
                       "parallel efficiency %.1f %% = load balance %.1f %% × communication %.1f "
                       "%%%s",
                       100 * e->parallel, 100 * e->load_balance, 100 * e->communication, rest);
    free(rest);
}

/* Returns " for rank 0", the rank that was waited for most, or "" if it is unknown. The caller
 * frees it. */
static char *for_rank(const struct pinsight_mpi_view *view, const struct pinsight_mpi_wait *wait) {
    uint32_t rank = view->ranks[wait->causing_rank].number;

    return rank == PINSIGHT_MPI_NO_RANK ? pinsight_strdup("")
                                        : pinsight_format(" for rank %" PRIu32, rank);
}

/* Writes a line such as "most waited: 62.2 ms late sender, rank 1 in solve.py:54 MPI_Recv for rank
 * 0". */
static void print_longest(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_view *view = report->mpi;
    const struct pinsight_mpi_wait *wait = view->waits;
    uint32_t rank;
    char *call, *cause, *who;

    if (!view->wait_count)
        return;
    rank = view->ranks[wait->suffering_rank].number;
    call = pinsight_mpi_call_text(view, wait->suffers, false);
    cause = for_rank(view, wait);
    who = wait->suffering_ranks > 1
              ? pinsight_format("%" PRIu32 " ranks in ", wait->suffering_ranks)
          : rank != PINSIGHT_MPI_NO_RANK ? pinsight_format("rank %" PRIu32 " in ", rank)
                                         : pinsight_strdup("");
    pinsight_head_note(report, out, "most waited: %s %s, %s%s%s",
                       pinsight_units_time(wait->total_ns).text,
                       pinsight_mpi_wait_words(wait->kind), who, call, cause);
    PINSIGHT_FREE(call, who, cause);
}

void pinsight_mpi_lines(const struct pinsight_report *report, FILE *out, size_t limit, bool few) {
    if (!pinsight_mpi_seen(report))
        return;
    print_ranks(report, out);
    pinsight_mpi_print_efficiency(report, out, report->options.width >= WIDTH_FOR_PARTS);
    if (!few)
        print_longest(report, out);
    pinsight_mpi_print_alone(report, out);
    pinsight_mpi_print_clocks(report, out);
    pinsight_mpi_print_deaths(report, out);
    pinsight_mpi_print_open(report, out);
    pinsight_mpi_print_failed(report, out, limit);
}
