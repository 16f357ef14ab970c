/* The table of MPI's wait states. */
#include "views/mpi/mpi.h"

#include "views/report/head.h"
#include "views/report/tables.h"

/* Narrower screens show a line without its function. */
#define WIDTH_FOR_FUNCTIONS 140

static const struct pinsight_mpi_wait *wait_of(const void *row) {
    return row;
}

VALUE(suffering_ranks, struct pinsight_mpi_wait,
      pinsight_mpi_ranks_text(report, row->suffering_rank, row->suffering_ranks))

static struct pinsight_value call_text(const struct pinsight_report *report, uint32_t line) {
    return pinsight_value_owned(
        pinsight_mpi_call_text(report->mpi, line, report->options.width >= WIDTH_FOR_FUNCTIONS));
}

VALUE(suffering_call, struct pinsight_mpi_wait, call_text(report, row->suffers))

VALUE(causing_ranks, struct pinsight_mpi_wait,
      pinsight_mpi_ranks_text(report, row->causing_rank, row->causing_ranks))

VALUE(causing_call, struct pinsight_mpi_wait, call_text(report, row->causes))

static void write_side(struct pinsight_json *json, const struct pinsight_printing *printing,
                       const char *key, uint32_t rank, uint32_t line) {
    pinsight_json_open(json, key, '{');
    pinsight_mpi_write_rank(json, printing->view, rank);
    pinsight_mpi_write_place(json, printing, line);
    pinsight_json_close(json, '}');
}

static void write_sides(struct pinsight_json *json, const struct pinsight_printing *printing,
                        const void *row) {
    write_side(json, printing, "suffers", wait_of(row)->suffering_rank, wait_of(row)->suffers);
    write_side(json, printing, "causes", wait_of(row)->causing_rank, wait_of(row)->causes);
}

#define W(member) MEMBER(struct pinsight_mpi_wait, member)
static const struct pinsight_column wait_columns[] = {
    COLUMN("kind", NULL, WORD, W(kind), .word = pinsight_mpi_wait_word),
    COLUMN("kind_words", "kind", WORD, W(kind), .word = pinsight_mpi_wait_words,
           .align = PINSIGHT_LEFT),
    COLUMN("count", "count", COUNT, W(count)),
    COLUMN("total_ns", "waited", NS, W(total_ns), .style = PINSIGHT_BOLD),
    COLUMN("max_ns", "longest", NS, W(max_ns)),
    FIELD(NS, W, longest_at_ns),
    GETTER("rank", "rank", TEXT, suffering_ranks),
    GETTER("call", "waits in", TEXT, suffering_call, NAMES_IN(PYTHON)),
    GETTER("causing_rank", "for rank", TEXT, causing_ranks),
    GETTER("causing_call", "to reach", TEXT, causing_call, NAMES_IN(DIM)),
    WRITER("sides", write_sides),
};

static const struct pinsight_table waits = {
    .title = "Wait states",
    .remark = "who waited for whom, by time",
    MPI_ROWS(waits, wait_count),
    PINSIGHT_COLUMNS(wait_columns),
    .screen = "total_ns count max_ns kind_words rank call causing_rank causing_call",
};

static const struct pinsight_table wait_states = {
    PINSIGHT_LIST("wait_states", wait_columns),
    MPI_ROWS(pairs, pair_count),
    .json = "kind count total_ns max_ns longest_at_ns sides",
};

void pinsight_mpi_print_waits(const struct pinsight_report *report, FILE *out, size_t limit) {
    pinsight_section_print(report, out, &waits, limit);
    if (report->mpi->wait_count)
        return;
    pinsight_section_rows(report, out, waits.title, waits.remark, 0, limit);
    pinsight_head_note(report, out, "none");
}

void pinsight_mpi_waits_json(const struct pinsight_report *report, struct pinsight_json *json,
                             size_t limit) {
    pinsight_json_open(json, "wait_ns", '{');
    for (unsigned i = 0; i < PINSIGHT_MPI_WAIT_COUNT; i++)
        pinsight_json_unsigned(json, pinsight_mpi_wait_word(i), report->mpi->wait_ns[i]);
    pinsight_json_close(json, '}');
    pinsight_report_list(report, json, &wait_states, limit);
}
