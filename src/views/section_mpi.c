/* MPI on a screen: efficiencies, wait states, functions, Python lines. */
#include "reader/mem.h"
#include "views/cells.h"
#include "views/head.h"
#include "views/mpi.h"
#include "views/text.h"
#include "views/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Below these widths columns, and names of functions beside their lines, are left out. */
#define WIDTH_FOR_SIZES 110
#define WIDTH_FOR_RANKS 96
#define WIDTH_FOR_RANKS_AND_SIZES 120
#define WIDTH_FOR_FUNCTIONS 140

/* "solve (app.py:12)", or what is known of it. */
static char *place_text(const struct pinsight_mpi_place *place) {
    const char *slash = strrchr(place->file, '/');
    const char *file = !place->python && slash && slash[1] ? slash + 1 : place->file;
    char *where = pinsight_text_place(file, place->line), *name, *text;

    if (!place->name && !where[0]) {
        free(where);
        return pinsight_strdup("(no Python)");
    }
    name = pinsight_text_clean(place->name ? place->name : "");
    text = !where[0]      ? pinsight_strdup(name)
           : !place->name ? pinsight_strdup(where)
                          : pinsight_format("%s (%s)", name, where);
    free(where);
    free(name);
    return text;
}

/* "solve (app.py:12) MPI_Recv"; where there is little room "app.py:12 MPI_Recv". What is cut off is
 * the start. */
char *pinsight_mpi_call_text(const struct pinsight_mpi_view *view, uint32_t line, bool wide) {
    const struct pinsight_mpi_place *place = &view->places[view->lines[line].place];
    const char *slash = strrchr(place->file, '/');
    char *where, *text;

    if (wide || !place->file[0])
        where = place_text(place);
    else
        where = pinsight_text_place(slash && slash[1] ? slash + 1 : place->file, place->line);
    text = place->name || place->file[0] ? pinsight_format("%s %s", where, view->lines[line].name)
                                         : pinsight_strdup(view->lines[line].name);
    free(where);
    return text;
}

/* "2", or "2 and 5 more" where others have a part. */
static char *rank_text(const struct pinsight_mpi_view *view, uint32_t row, uint32_t ranks) {
    uint32_t number = view->ranks[row].number;
    char *one =
        number == PINSIGHT_MPI_NO_RANK ? pinsight_strdup("?") : pinsight_format("%" PRIu32, number);
    char *text = ranks > 1 ? pinsight_format("%s +%" PRIu32, one, ranks - 1) : pinsight_strdup(one);

    free(one);
    return text;
}

/* "4 ranks, Open MPI v4.1.4": of the first that tells. */
static void print_ranks(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_view *view = report->mpi;
    const char *library = "";
    char time[PINSIGHT_UNITS_SIZE], wall_text[PINSIGHT_UNITS_SIZE], share[PINSIGHT_UNITS_SIZE];
    char wait[PINSIGHT_UNITS_SIZE];
    uint64_t wall = 0, mpi = 0, waited = 0;
    size_t count = 0;
    char *clean;

    for (size_t i = 0; i < view->rank_count; i++) {
        const struct pinsight_mpi_rank_row *row = &view->ranks[i];

        if (!row->rank || !row->rank->process->selected)
            continue;
        count++;
        wall += row->wall_ns;
        mpi += row->mpi_ns;
        waited += row->wait_ns;
        if (!library[0])
            library = pinsight_report_string(report, row->rank->library);
    }
    clean = pinsight_text_clean(library);
    fprintf(out, "   %zu rank%s%s%s · in MPI %s of %s (%s %%), %s of it waiting for other ranks\n",
            count, count == 1 ? "" : "s", clean[0] ? ", " : "", clean,
            pinsight_units_time(time, mpi), pinsight_units_time(wall_text, wall),
            pinsight_units_percent(share, mpi, wall), pinsight_units_time(wait, waited));
    free(clean);
}

static void print_efficiency(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_efficiency *e = &report->mpi->efficiency;

    if (!e->known)
        return;
    fprintf(out, "   parallel efficiency ");
    pinsight_styled(out, report->options.colour, PINSIGHT_BOLD, "%.1f %%", 100 * e->parallel);
    fprintf(out, " = load balance %.1f %% × communication %.1f %%", 100 * e->load_balance,
            100 * e->communication);
    if (e->parts_known)
        fprintf(out, " (serialisation %.1f %% × transfer %.1f %%)", 100 * e->serialisation,
                100 * e->transfer);
    putc('\n', out);
}

static void print_waits(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;
    struct pinsight_table table = pinsight_section_table(report);
    size_t shown = pinsight_section_rows(report, out, "Wait states", "who waited for whom, by time",
                                         view->wait_count, limit);
    bool wide = report->options.width >= WIDTH_FOR_FUNCTIONS;

    if (!view->wait_count) {
        fputs("   none\n", out);
        return;
    }
    pinsight_table_column(&table, "waited", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "count", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "longest", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "kind", PINSIGHT_LEFT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "rank", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "waits in", PINSIGHT_FLEXIBLE, PINSIGHT_PYTHON);
    pinsight_table_column(&table, "for rank", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "to reach", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < shown; i++) {
        const struct pinsight_mpi_wait *row = &view->waits[i];

        pinsight_time_cell(&table, row->total_ns);
        pinsight_number_cell(&table, row->count);
        pinsight_time_cell(&table, row->max_ns);
        pinsight_table_cell(&table, pinsight_strdup(pinsight_mpi_wait_words(row->kind)));
        pinsight_table_cell(&table, rank_text(view, row->suffering_rank, row->suffering_ranks));
        pinsight_table_cell(&table, pinsight_mpi_call_text(view, row->suffers, wide));
        pinsight_table_cell(&table, rank_text(view, row->causing_rank, row->causing_ranks));
        pinsight_table_cell(&table, pinsight_mpi_call_text(view, row->causes, wide));
    }
    pinsight_table_print(&table, out);
}

static void sum_columns(struct pinsight_table *table, bool sizes) {
    pinsight_table_column(table, "total", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "mean", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "max", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "waiting", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (sizes) {
        pinsight_table_column(table, "sent", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
        pinsight_table_column(table, "received", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    }
}

static void sum_cells(const struct pinsight_report *report, struct pinsight_table *table,
                      const struct pinsight_mpi_sums *sums, bool sizes) {
    char size[PINSIGHT_UNITS_SIZE];

    pinsight_time_cell(table, sums->total_ns);
    pinsight_share_cell(table, sums->total_ns, report->mpi->all.total_ns);
    pinsight_number_cell(table, sums->calls);
    pinsight_time_cell(table, sums->calls ? sums->total_ns / sums->calls : 0);
    pinsight_time_cell(table, sums->max_ns);
    pinsight_time_cell(table, sums->wait_ns);
    if (sizes) {
        pinsight_table_cell(table, pinsight_strdup(pinsight_units_size(size, sums->sent_bytes)));
        pinsight_table_cell(table,
                            pinsight_strdup(pinsight_units_size(size, sums->received_bytes)));
    }
}

/* The ranks with the least and the most time in a function, among those that call it. */
static void rank_columns(struct pinsight_table *table, bool least) {
    if (least) {
        pinsight_table_column(table, "least", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
        pinsight_table_column(table, "rank", PINSIGHT_RIGHT, PINSIGHT_DIM);
    }
    pinsight_table_column(table, "most", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "rank", PINSIGHT_RIGHT, PINSIGHT_DIM);
}

static void rank_cells(const struct pinsight_mpi_view *view, struct pinsight_table *table,
                       const struct pinsight_mpi_row *row, bool least) {
    uint32_t lowest = PINSIGHT_NONE, highest = PINSIGHT_NONE;

    for (uint32_t i = 0; i < view->rank_count; i++) {
        if (!row->ranks[i].calls)
            continue;
        if (lowest == PINSIGHT_NONE || row->ranks[i].total_ns < row->ranks[lowest].total_ns)
            lowest = i;
        if (highest == PINSIGHT_NONE || row->ranks[i].total_ns > row->ranks[highest].total_ns)
            highest = i;
    }
    for (int most = !least; most < 2; most++) {
        uint32_t which = most ? highest : lowest;

        if (which == PINSIGHT_NONE || (!most && lowest == highest)) {
            pinsight_table_cell(table, pinsight_strdup("-"));
            pinsight_table_cell(table, pinsight_strdup("-"));
        } else {
            pinsight_time_cell(table, row->ranks[which].total_ns);
            pinsight_table_cell(table, rank_text(view, which, 1));
        }
    }
}

static void print_functions(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;
    struct pinsight_table table = pinsight_section_table(report);
    size_t shown = pinsight_section_rows(report, out, "MPI functions", "all ranks together",
                                         view->function_count, limit);
    bool sizes = report->options.width >= WIDTH_FOR_RANKS_AND_SIZES;
    bool least = report->options.width >= WIDTH_FOR_RANKS;

    sum_columns(&table, sizes);
    rank_columns(&table, least);
    pinsight_table_column(&table, "function", PINSIGHT_LEFT, PINSIGHT_C);
    for (size_t i = 0; i < shown; i++) {
        sum_cells(report, &table, &view->functions[i].sums, sizes);
        rank_cells(view, &table, &view->functions[i], least);
        pinsight_table_cell(&table, pinsight_strdup(view->functions[i].name));
    }
    pinsight_table_print(&table, out);
}

static void print_lines(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;
    struct pinsight_table table = pinsight_section_table(report);
    bool sizes = report->options.width >= WIDTH_FOR_SIZES;
    size_t shown = pinsight_section_rows(
        report, out, "Lines", "calls of MPI by the line that made them", view->line_count, limit);

    sum_columns(&table, sizes);
    pinsight_table_column(&table, "function", PINSIGHT_LEFT, PINSIGHT_C);
    pinsight_table_column(&table, "called by", PINSIGHT_FLEXIBLE, PINSIGHT_PYTHON);
    for (size_t i = 0; i < shown; i++) {
        sum_cells(report, &table, &view->lines[i].sums, sizes);
        pinsight_table_cell(&table, pinsight_strdup(view->lines[i].name));
        pinsight_table_cell(&table, place_text(&view->places[view->lines[i].place]));
    }
    pinsight_table_print(&table, out);
}

static void print_callers(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;
    struct pinsight_table table = pinsight_section_table(report);
    bool sizes = report->options.width >= WIDTH_FOR_SIZES;
    size_t shown;

    if (view->caller_count < 2 && !(view->caller_count && view->callers[0].name))
        return;
    shown = pinsight_section_rows(report, out, "Python functions", "their time in MPI",
                                  view->caller_count, limit);
    sum_columns(&table, sizes);
    pinsight_table_column(&table, "function", PINSIGHT_FLEXIBLE, PINSIGHT_PYTHON);
    pinsight_table_column(&table, "where", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < shown; i++) {
        const struct pinsight_mpi_caller *row = &view->callers[i];

        sum_cells(report, &table, &row->sums, sizes);
        pinsight_table_cell(&table, pinsight_text_clean(row->name ? row->name : "(no Python)"));
        pinsight_table_cell(&table, pinsight_text_place(row->file, row->line));
    }
    pinsight_table_print(&table, out);
}

/* What matching came to: where something is missing, the numbers above are too. */
static void print_matching(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi *mpi = report->model->mpi;
    const struct pinsight_mpi_view *view = report->mpi;
    char *text = pinsight_format(
        "%" PRIu64 " message%s sent, %" PRIu64 " received, %" PRIu64 " matched · %" PRIu64
        " collective operation%s · %" PRIu64 " request%s started, %" PRIu64 " completed",
        mpi->sends, mpi->sends == 1 ? "" : "s", mpi->receives, mpi->matched, mpi->collectives,
        mpi->collectives == 1 ? "" : "s", view->requests_started,
        view->requests_started == 1 ? "" : "s", view->requests_completed);

    pinsight_head_section(report, out, "Matched", NULL);
    pinsight_paragraph(out, false, PINSIGHT_PLAIN, report->options.width, "   ", text);
    free(text);
    if (mpi->matched != mpi->sends || mpi->matched != mpi->receives) {
        text = pinsight_format("%" PRIu64 " message%s sent and not seen to be received, %" PRIu64
                               " received whose sending was not seen.",
                               mpi->sends - mpi->matched,
                               mpi->sends - mpi->matched == 1 ? " was" : "s were",
                               mpi->receives - mpi->matched);
        pinsight_paragraph(out, report->options.colour, PINSIGHT_WARN, report->options.width, " ! ",
                           text);
        free(text);
    }
    if (mpi->incomplete || mpi->misaligned) {
        text = pinsight_format("%" PRIu64 " collective operation%s not seen on all ranks: their "
                               "waiting is not known.",
                               mpi->incomplete + mpi->misaligned,
                               mpi->incomplete + mpi->misaligned == 1 ? " was" : "s were");
        pinsight_paragraph(out, report->options.colour, PINSIGHT_WARN, report->options.width, " ! ",
                           text);
        free(text);
    }
}

void pinsight_section_mpi(const struct pinsight_report *report, FILE *out, size_t limit) {
    pinsight_head_section(report, out, "MPI", NULL);
    if (!pinsight_mpi_seen(report)) {
        pinsight_paragraph(out, false, PINSIGHT_PLAIN, report->options.width, "   ",
                           pinsight_mpi_none(report));
        if (report->model->mpi && report->mpi)
            pinsight_mpi_print_open(report, out);
        return;
    }
    print_ranks(report, out);
    pinsight_mpi_print_alone(report, out);
    print_efficiency(report, out);
    pinsight_mpi_print_open(report, out);
    pinsight_mpi_print_failed(report, out, limit);
    print_waits(report, out, limit);
    print_functions(report, out, limit);
    print_callers(report, out, limit);
    print_lines(report, out, limit);
    pinsight_section_mpi_ranks(report, out, limit);
    pinsight_section_mpi_matrix(report, out, limit);
    pinsight_section_mpi_sizes(report, out);
    print_matching(report, out);
}

void pinsight_section_mpi_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!pinsight_mpi_seen(report))
        return;
    pinsight_head_section(report, out, "MPI", NULL);
    print_ranks(report, out);
    pinsight_mpi_print_alone(report, out);
    print_efficiency(report, out);
    pinsight_mpi_print_open(report, out);
    pinsight_mpi_print_failed(report, out, limit);
    if (report->mpi->wait_count)
        print_waits(report, out, limit);
    else
        print_lines(report, out, limit);
}
