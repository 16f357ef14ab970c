/* MPI on a screen: ranks, the communication matrix, message sizes. */
#include "reader/mem.h"
#include "views/cells.h"
#include "views/head.h"
#include "views/mpi.h"
#include "views/text.h"
#include "views/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of more ranks the matrix is a list of those pairs that exchange the most. */
#define WIDEST_MATRIX 16

static char *rank_text(const struct pinsight_mpi_view *view, uint32_t row) {
    return view->ranks[row].number == PINSIGHT_MPI_NO_RANK
               ? pinsight_strdup("?")
               : pinsight_format("%" PRIu32, view->ranks[row].number);
}

void pinsight_section_mpi_ranks(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;
    struct pinsight_table table = pinsight_section_table(report);
    size_t shown = pinsight_section_rows(report, out, "Ranks", "from MPI_Init to MPI_Finalize",
                                         view->rank_count, limit);

    pinsight_table_column(&table, "rank", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "time", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "computing", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "MPI", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "waiting", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "messages", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "sent", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "process", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "host", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (uint32_t i = 0; i < shown; i++) {
        const struct pinsight_mpi_rank_row *row = &view->ranks[i];
        char size[PINSIGHT_UNITS_SIZE];

        pinsight_table_cell(&table, rank_text(view, i));
        pinsight_time_cell(&table, row->wall_ns);
        pinsight_time_cell(&table, row->useful_ns);
        pinsight_time_cell(&table, row->mpi_ns);
        pinsight_share_cell(&table, row->mpi_ns, row->wall_ns);
        pinsight_time_cell(&table, row->wait_ns);
        pinsight_number_cell(&table, row->calls);
        pinsight_number_cell(&table, row->sent);
        pinsight_table_cell(&table, pinsight_strdup(pinsight_units_size(size, row->sent_bytes)));
        pinsight_table_cell(&table, row->rank ? pinsight_format("%" PRId64, row->rank->process->pid)
                                              : pinsight_strdup("-"));
        pinsight_table_cell(&table,
                            row->rank ? pinsight_text_clean(pinsight_strings_text(
                                            &report->model->strings, row->rank->process->hostname))
                                      : pinsight_strdup("(not recorded)"));
    }
    pinsight_table_print(&table, out);
}

/* "1.5K": at most four columns. */
static char *short_size(char *buffer, uint64_t bytes) {
    static const char units[] = " KMGTPE";
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 999.5 && unit < 6) {
        value /= 1024;
        unit++;
    }
    if (!unit)
        snprintf(buffer, PINSIGHT_UNITS_SIZE, "%.0f", value);
    else
        snprintf(buffer, PINSIGHT_UNITS_SIZE, "%.*f%c", value < 9.95 ? 1 : 0, value, units[unit]);
    return buffer;
}

static const struct pinsight_mpi_flow *flow_of(const struct pinsight_mpi_view *view, uint32_t from,
                                               uint32_t to) {
    for (size_t i = 0; i < view->flow_count; i++)
        if (view->flows[i].from == from && view->flows[i].to == to)
            return &view->flows[i];
    return NULL;
}

enum what { BYTES, MESSAGES, COLLECTIVE_BYTES };

static uint64_t value_of(const struct pinsight_mpi_flow *flow, enum what what) {
    return what == BYTES ? flow->bytes : what == MESSAGES ? flow->messages : flow->collective_bytes;
}

static void print_square(const struct pinsight_report *report, FILE *out, enum what what) {
    static const char *const heads[] = {"bytes", "messages", "collect."};
    const struct pinsight_mpi_view *view = report->mpi;
    char text[PINSIGHT_UNITS_SIZE];
    uint64_t all = 0;

    for (size_t i = 0; i < view->flow_count; i++)
        all += value_of(&view->flows[i], what);
    if (!all && what != BYTES)
        return;
    fprintf(out, "   %8s", heads[what]);
    for (uint32_t to = 0; to < view->rank_count; to++) {
        char *rank = rank_text(view, to);

        pinsight_styled(out, report->options.colour, PINSIGHT_DIM, " %6s", rank);
        free(rank);
    }
    putc('\n', out);
    for (uint32_t from = 0; from < view->rank_count; from++) {
        char *rank = rank_text(view, from);

        pinsight_styled(out, report->options.colour, PINSIGHT_BOLD, "   %8s", rank);
        free(rank);
        for (uint32_t to = 0; to < view->rank_count; to++) {
            const struct pinsight_mpi_flow *flow = flow_of(view, from, to);

            if (!flow || !(value_of(flow, what) || (what == BYTES && flow->messages)))
                fputs("      ·", out);
            else if (what == MESSAGES)
                fprintf(out, " %6" PRIu64, flow->messages);
            else
                fprintf(out, " %6s", short_size(text, value_of(flow, what)));
        }
        putc('\n', out);
    }
}

static int by_bytes(const void *left, const void *right) {
    const struct pinsight_mpi_flow *a = left, *b = right;

    uint64_t a_bytes = a->bytes + a->collective_bytes, b_bytes = b->bytes + b->collective_bytes;

    if (a_bytes != b_bytes)
        return a_bytes < b_bytes ? 1 : -1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void print_pairs(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;
    struct pinsight_table table = pinsight_section_table(report);
    struct pinsight_mpi_flow *flows = pinsight_calloc(view->flow_count + 1, sizeof(*flows));
    size_t shown = pinsight_rows_shown(view->flow_count, limit);

    memcpy(flows, view->flows, view->flow_count * sizeof(*flows));
    qsort(flows, view->flow_count, sizeof(*flows), by_bytes);
    pinsight_table_column(&table, "bytes", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "messages", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "collective", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "from", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "to", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    for (size_t i = 0; i < shown; i++) {
        char size[PINSIGHT_UNITS_SIZE];

        pinsight_table_cell(&table, pinsight_strdup(pinsight_units_size(size, flows[i].bytes)));
        pinsight_number_cell(&table, flows[i].messages);
        pinsight_table_cell(&table,
                            pinsight_strdup(pinsight_units_size(size, flows[i].collective_bytes)));
        pinsight_table_cell(&table, rank_text(view, flows[i].from));
        pinsight_table_cell(&table, rank_text(view, flows[i].to));
    }
    pinsight_table_print(&table, out);
    free(flows);
}

void pinsight_section_mpi_matrix(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;
    bool square =
        view->rank_count <= WIDEST_MATRIX && view->rank_count * 7 + 11 <= report->options.width;
    char *remark;

    if (!view->flow_count)
        return;
    remark = square
                 ? pinsight_strdup("from rank (down) to rank (across)")
                 : pinsight_format("%zu of %zu pairs; --matrix --format svg "
                                   "draws all",
                                   pinsight_rows_shown(view->flow_count, limit), view->flow_count);
    pinsight_head_section(report, out, "Communication matrix", remark);
    free(remark);
    if (!square) {
        print_pairs(report, out, limit);
        return;
    }
    print_square(report, out, BYTES);
    print_square(report, out, MESSAGES);
    print_square(report, out, COLLECTIVE_BYTES);
}

void pinsight_section_mpi_sizes(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi *mpi = report->model->mpi;
    struct pinsight_table table = pinsight_section_table(report);

    if (!mpi->sends)
        return;
    pinsight_head_section(report, out, "Message sizes", "point to point");
    pinsight_table_column(&table, "from", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "to", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "messages", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "bytes", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    for (unsigned i = 0; i < PINSIGHT_MPI_SIZES; i++) {
        char size[PINSIGHT_UNITS_SIZE];

        if (!mpi->size_messages[i])
            continue;
        pinsight_table_cell(
            &table, pinsight_strdup(pinsight_units_size(size, i ? UINT64_C(1) << (i - 1) : 0)));
        pinsight_table_cell(
            &table, pinsight_strdup(pinsight_units_size(size, i ? UINT64_MAX >> (64 - i) : 0)));
        pinsight_number_cell(&table, mpi->size_messages[i]);
        pinsight_share_cell(&table, mpi->size_messages[i], mpi->sends);
        pinsight_table_cell(&table, pinsight_strdup(pinsight_units_size(size, mpi->size_bytes[i])));
    }
    pinsight_table_print(&table, out);
}
