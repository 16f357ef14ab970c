/* MPI in a few lines, for the summary. */
#include "views/mpi.h"

#include "reader/mem.h"
#include "views/table.h"
#include "views/text.h"
#include "views/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Below this width the parts of communication are left out. */
#define WIDTH_FOR_PARTS 110

/* "MPI 2 ranks: 253 ms of 553 ms (45.7 %), of it 247 ms waiting; sent 23.4 MiB" */
static void print_ranks(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_view *view = report->mpi;
    char time[PINSIGHT_UNITS_SIZE], wall_text[PINSIGHT_UNITS_SIZE], share[PINSIGHT_UNITS_SIZE];
    char wait[PINSIGHT_UNITS_SIZE], size[PINSIGHT_UNITS_SIZE];
    uint64_t wall = 0, mpi = 0, waited = 0;
    size_t count = 0;

    for (size_t i = 0; i < view->rank_count; i++) {
        const struct pinsight_mpi_rank_row *row = &view->ranks[i];

        if (!row->rank || !row->rank->process->selected)
            continue;
        count++;
        wall += row->wall_ns;
        mpi += row->mpi_ns;
        waited += row->wait_ns;
    }
    fprintf(out, "MPI %zu rank%s: %s of %s (%s %%), of it %s waiting", count, count == 1 ? "" : "s",
            pinsight_units_time(time, mpi), pinsight_units_time(wall_text, wall),
            pinsight_units_percent(share, mpi, wall), pinsight_units_time(wait, waited));
    if (view->all.sent_bytes)
        fprintf(out, "; sent %s", pinsight_units_size(size, view->all.sent_bytes));
    putc('\n', out);
}

static void print_efficiency(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_efficiency *e = &report->mpi->efficiency;

    if (!e->known)
        return;
    fprintf(out, "   parallel efficiency %.1f %% = load balance %.1f %% × communication %.1f %%",
            100 * e->parallel, 100 * e->load_balance, 100 * e->communication);
    if (e->parts_known && report->options.width >= WIDTH_FOR_PARTS)
        fprintf(out, " (serialisation %.1f %% × transfer %.1f %%)", 100 * e->serialisation,
                100 * e->transfer);
    putc('\n', out);
}

/* "most waited: 62.2 ms late sender, rank 1 in solve.py:54 MPI_Recv" */
static void print_longest(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_view *view = report->mpi;
    const struct pinsight_mpi_wait *wait = view->waits;
    uint32_t rank;
    char time[PINSIGHT_UNITS_SIZE];
    char *call, *line;

    if (!view->wait_count)
        return;
    rank = view->ranks[wait->suffering_rank].number;
    call = pinsight_mpi_call_text(view, wait->suffers, false);
    line = pinsight_format("   most waited: %s %s, ", pinsight_units_time(time, wait->total_ns),
                           pinsight_mpi_wait_words(wait->kind));
    fputs(line, out);
    if (wait->suffering_ranks > 1)
        fprintf(out, "%" PRIu32 " ranks in ", wait->suffering_ranks);
    else if (rank != PINSIGHT_MPI_NO_RANK)
        fprintf(out, "rank %" PRIu32 " in ", rank);
    call = pinsight_realloc(call, strlen(call) + 4, 1);
    if (report->options.width > pinsight_text_width(line) + 28)
        pinsight_text_cut(call, report->options.width - pinsight_text_width(line) - 16);
    fprintf(out, "%s\n", call);
    free(call);
    free(line);
}

void pinsight_mpi_lines(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!pinsight_mpi_seen(report))
        return;
    print_ranks(report, out);
    print_efficiency(report, out);
    print_longest(report, out);
    pinsight_mpi_print_alone(report, out);
    pinsight_mpi_print_open(report, out);
    pinsight_mpi_print_failed(report, out, limit);
}
