/* The table of ranks: running and waiting of all threads of each rank, and of its workers. */
#include "base/memory.h"
#include "base/order.h"
#include "views/domain.h"
#include "views/report/attribution.h"
#include "views/report/head.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <stdlib.h>

struct rank_row {
    int64_t rank;
    uint32_t hostname;
    uint64_t processes;
    uint64_t calls, c_calls;
    uint64_t wall_ns; /* of the active threads */
    uint64_t running_ns, waiting_ns, ready_ns;
    uint64_t mpi_ns; /* part of wall_ns in MPI */
    uint64_t memory; /* the most resident memory of one of its processes, in bytes; 0: unknown */
};

static struct rank_row *row_of(struct rank_row *rows, size_t *count, int64_t rank) {
    for (size_t i = 0; i < *count; i++)
        if (rows[i].rank == rank)
            return &rows[i];
    rows[*count] = (struct rank_row){.rank = rank};
    return &rows[(*count)++];
}

static void add_thread(struct rank_row *row, const struct pinsight_attribution_thread *thread) {
    row->wall_ns += thread->wall_ns;
    row->running_ns += pinsight_attribution_thread_running_ns(thread);
    row->waiting_ns += pinsight_attribution_waiting_ns(&thread->away) + thread->native_away_ns;
    row->ready_ns += thread->away.ready_ns + thread->native_ready_ns;
    row->mpi_ns += thread->under_ns[READER_MPI] + thread->alone_ns[READER_MPI];
}

ORDER(by_rank, struct rank_row, BY(a->rank, b->rank))

static struct pinsight_rows make(const void *of_report) {
    const struct pinsight_report *report = of_report;
    const struct pinsight_model *model = report->model;
    const struct pinsight_attribution_view *view = report->attribution;
    struct rank_row *rows = pinsight_calloc(model->process_count + 1, sizeof(*rows));
    struct rank_row **of = pinsight_calloc(model->process_count + 1, sizeof(struct rank_row *));
    size_t count = 0;

    for (size_t i = 0; i < model->process_count; i++) {
        const struct pinsight_process *process = model->processes[i];
        int64_t rank = view_process_rank(process);

        if (!process->selected || rank < 0 || !pinsight_process_is_there(process))
            continue;
        of[i] = row_of(rows, &count, rank);
        of[i]->processes++;
        of[i]->hostname = process->hostname;
        if (process->resident_most > of[i]->memory)
            of[i]->memory = process->resident_most;
    }
    for (size_t i = 0; i < report->thread_count; i++) {
        const struct pinsight_thread_row *thread = &report->threads[i];
        struct rank_row *row = of[thread->thread->process->index];

        if (!row)
            continue;
        row->calls += thread->calls;
        row->c_calls += thread->c_calls;
        for (size_t kind = 0; kind < 2; kind++)
            row->running_ns += thread->thread->counted[kind].self_ns;
    }
    for (size_t i = 0; i < view->thread_count; i++) {
        struct rank_row *row = of[view->threads[i].thread->process->index];

        if (row && view->threads[i].wall_ns && !view->threads[i].idle)
            add_thread(row, &view->threads[i]);
    }
    free(of);
    PINSIGHT_SORT(rows, count, by_rank);
    return PINSIGHT_MADE_ROWS(rows, count);
}

SHOWN(has_mpi, view_domains[READER_MPI]->seen(report))

VALUE(running_share, struct rank_row, pinsight_value_share(row->running_ns, row->wall_ns))

#define R(member) MEMBER(struct rank_row, member)
static const struct pinsight_column columns[] = {
    COLUMN("rank", "rank", SIGNED, R(rank), .style = PINSIGHT_BOLD),
    FIELD(COUNT, R, processes),
    COLUMN("hostname", "host", TEXT_NUMBER, R(hostname), NAMES_IN(DIM)),
    COLUMN("wall_ns", "time", NS, R(wall_ns)),
    COLUMN("running_ns", "running", NS, R(running_ns), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, running_share),
    COLUMN("waiting_ns", "waiting", NS, R(waiting_ns)),
    COLUMN("ready_ns", NULL, NS, R(ready_ns), .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    COLUMN("ready_ns", "no CPU", NS, R(ready_ns), .shown = pinsight_report_has_ready,
           .only = PINSIGHT_FORM_SCREEN),
    COLUMN("mpi_ns", NULL, NS, R(mpi_ns), .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    COLUMN("mpi_ns", "in MPI", NS, R(mpi_ns), .shown = has_mpi, .only = PINSIGHT_FORM_SCREEN),
    COLUMN("resident_most_bytes", NULL, BYTES, R(memory), .needs = R(memory),
           .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    COLUMN("resident_most_bytes", "memory", BYTES, R(memory), .needs = R(memory),
           .shown = pinsight_report_has_memory, .only = PINSIGHT_FORM_SCREEN, .none = "-"),
    COLUMN("calls", "calls", COUNT, R(calls)),
    COLUMN("c_calls", "C calls", COUNT, R(c_calls)),
};

const struct pinsight_table pinsight_rank_rows_table = {
    PINSIGHT_TITLED("Ranks", "all threads and workers of each", "by_rank", columns),
    .make = make,
    .screen = "rank running_ns share waiting_ns ready_ns mpi_ns resident_most_bytes calls c_calls "
              "wall_ns hostname",
    .files = "rank processes hostname wall_ns running_ns waiting_ns ready_ns mpi_ns "
             "resident_most_bytes calls c_calls",
};

void pinsight_section_rank_rows(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_rows rows = make(report);

    if (rows.count) {
        pinsight_section_print_rows(report, out, &pinsight_rank_rows_table, rows, limit);
    } else {
        pinsight_head_section(report, out, pinsight_rank_rows_table.title, NULL);
        pinsight_head_note(report, out, "%s",
                           "No process has a rank: no launcher of MPI started it, and none called "
                           "MPI_Init. --by thread has a row for each thread.");
    }
    pinsight_rows_free(rows);
}
