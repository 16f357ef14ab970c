/* The tables of MPI's ranks, of their flows, and of message sizes and communicators. */
#include "views/mpi/mpi.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/units.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* With more ranks, the matrix is a list of the pairs with the most bytes. */
#define WIDEST_MATRIX 16
/* The most ranks that a screen shows without --limit. */
#define MOST_RANKS 16

SHOWN(has_others, report->mpi->others)

VALUE(row_rank, struct pinsight_mpi_rank_row,
      row->number == PINSIGHT_MPI_NO_RANK ? pinsight_value_none()
                                          : pinsight_value_number(row->number))

VALUE(row_share, struct pinsight_mpi_rank_row, pinsight_value_share(row->mpi_ns, row->wall_ns))

VALUE(is_recorded, struct pinsight_mpi_rank_row, pinsight_value_number(row->rank != NULL))

#define P(member) MEMBER(struct pinsight_process, member)
static const struct pinsight_column process_columns[] = {
    COLUMN("pid", "process", SIGNED, P(pid), .optional = P(model)),
    COLUMN("hostname", "host", TEXT_NUMBER, P(hostname), .optional = P(model),
           .none = "(not in the trace)", NAMES_IN(DIM)),
};
static const struct pinsight_table processes = {PINSIGHT_COLUMNS(process_columns)};

/* Left out of JSON if the rank is not in the trace. */
#define M(member) MEMBER(struct pinsight_mpi_rank, member)
#define KNOWN .optional = M(process)
static const struct pinsight_column known_columns[] = {
    INNER(NULL, &processes, M(process), .pointer = true),
    COLUMN("flavour", NULL, TEXT_NUMBER, M(flavour), KNOWN),
    COLUMN("library", NULL, TEXT_NUMBER, M(library), KNOWN),
    COLUMN("standard", NULL, TEXT_NUMBER, M(standard), KNOWN),
    COLUMN("finalized", NULL, BOOL, M(finalised), KNOWN),
    COLUMN("begin_ns", NULL, NS, M(begin_ns), KNOWN),
    COLUMN("end_ns", NULL, NS, M(end_ns), KNOWN),
    COLUMN("requests_started", NULL, COUNT, M(requests_started), KNOWN),
    COLUMN("requests_completed", NULL, COUNT, M(requests_completed), KNOWN),
};
static const struct pinsight_table known = {PINSIGHT_COLUMNS(known_columns)};

#define R(member) MEMBER(struct pinsight_mpi_rank_row, member)
#define RECORDED .optional = R(rank)
static const struct pinsight_column rank_columns[] = {
    GETTER("rank", "rank", ID, row_rank, .none = "?", .style = PINSIGHT_BOLD),
    GETTER("recorded", NULL, BOOL, is_recorded),
    INNER(NULL, &known, R(rank), .pointer = true),
    COLUMN("wall_ns", "time", NS, R(wall_ns), RECORDED),
    COLUMN("mpi_ns", "MPI", NS, R(mpi_ns), RECORDED),
    GETTER("share", "%", SHARE, row_share),
    COLUMN("wait_ns", "waiting", NS, R(wait_ns), RECORDED),
    COLUMN("useful_ns", "computing", NS, R(useful_ns), RECORDED),
    COLUMN("open_ns", NULL, NS, R(open_ns), RECORDED),
    COLUMN("other_threads_ns", "other threads", NS, R(others_ns), RECORDED, .shown = has_others),
    COLUMN("by_other_threads", NULL, BOOL, R(by_others), RECORDED),
    COLUMN("calls", "calls", COUNT, R(calls), RECORDED),
    COLUMN("sent_messages", "messages", COUNT, R(sent)),
    COLUMN("sent_bytes", "sent", BYTES, R(sent_bytes)),
    COLUMN("received_messages", NULL, COUNT, R(received)),
};

const struct pinsight_table pinsight_mpi_rank_table = {
    PINSIGHT_TITLED("Ranks", "longest computing first; from MPI_Init to MPI_Finalize", "ranks",
                    rank_columns),
    .empty = true,
    MPI_ROWS(ranks, rank_count),
    .screen = "rank wall_ns useful_ns mpi_ns share wait_ns other_threads_ns calls sent_messages "
              "sent_bytes pid hostname",
    .json = "rank recorded pid hostname flavour library standard finalized begin_ns end_ns wall_ns "
            "mpi_ns wait_ns useful_ns open_ns other_threads_ns by_other_threads calls "
            "requests_started requests_completed sent_messages sent_bytes received_messages",
};

/* The longest computing comes first, because others wait for that rank. */
ORDER(by_computing, struct pinsight_mpi_rank_row,
      BY(!a->rank, !b->rank) ?: BY(b->useful_ns, a->useful_ns) ?: BY(a->number, b->number))

void pinsight_section_mpi_ranks(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_view *view = report->mpi;
    struct pinsight_mpi_rank_row *rows = pinsight_calloc(view->rank_count + 1, sizeof(*rows));
    size_t limit = report->options.limit >= 0 ? (size_t)report->options.limit : MOST_RANKS;

    memcpy(rows, view->ranks, view->rank_count * sizeof(*rows));
    PINSIGHT_SORT(rows, view->rank_count, by_computing);
    pinsight_section_print_rows(report, out, &pinsight_mpi_rank_table,
                                PINSIGHT_ROWS(rows, view->rank_count), limit);
    free(rows);
}

VALUE(flow_from, struct pinsight_mpi_flow, pinsight_mpi_rank_value(report, row->from))

VALUE(flow_to, struct pinsight_mpi_flow, pinsight_mpi_rank_value(report, row->to))

#define F(member) MEMBER(struct pinsight_mpi_flow, member)
static const struct pinsight_column flow_columns[] = {
    GETTER("from", "from", ID, flow_from, .none = "?"),
    GETTER("to", "to", ID, flow_to, .none = "?"),
    COLUMN("messages", "messages", COUNT, F(messages)),
    COLUMN("bytes", "bytes", BYTES, F(bytes), .style = PINSIGHT_BOLD),
    FIELDS(COUNT, F, received, matched),
    COLUMN("collective_operations", NULL, COUNT, F(operations)),
    COLUMN("collective_bytes", "collective", BYTES, F(collective_bytes)),
};

const struct pinsight_table pinsight_mpi_matrix_table = {
    PINSIGHT_LIST("matrix", flow_columns),
    .whole = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV,
    MPI_ROWS(flows, flow_count),
    .screen = "bytes messages collective_bytes from to",
    .json = "from to messages bytes received matched collective_operations collective_bytes",
    .csv = "from to messages bytes collective_operations collective_bytes",
};

/* Messages of one class of sizes, whose numbers of bytes have equally many binary digits. */
struct size_row {
    uint64_t from, to, messages, bytes;
};

VALUE(size_share, struct size_row,
      pinsight_value_share(row->messages, pinsight_model_mpi(report->model)->sends))

#define S(member) MEMBER(struct size_row, member)
static const struct pinsight_column size_columns[] = {
    COLUMN("from_bytes", "from", BYTES, S(from)),
    COLUMN("to_bytes", "to", BYTES, S(to)),
    COLUMN("messages", "messages", COUNT, S(messages), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, size_share),
    COLUMN("bytes", "bytes", BYTES, S(bytes)),
};

static const struct pinsight_table sizes = {
    PINSIGHT_TITLED("Message sizes", "point to point", "message_sizes", size_columns),
    .screen = "from_bytes to_bytes messages share bytes",
    .json = "from_bytes to_bytes messages bytes",
};

static size_t make_sizes(const struct pinsight_report *report, struct size_row *rows) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    size_t count = 0;

    for (unsigned i = 0; i < PINSIGHT_MPI_SIZES; i++)
        if (mpi->size_messages[i])
            rows[count++] = (struct size_row){.from = i ? UINT64_C(1) << (i - 1) : 0,
                                              .to = i ? UINT64_MAX >> (64 - i) : 0,
                                              .messages = mpi->size_messages[i],
                                              .bytes = mpi->size_bytes[i]};
    return count;
}

static void write_comm_ranks(struct pinsight_json *json, const struct pinsight_printing *printing,
                             const void *row) {
    const struct pinsight_mpi *mpi =
        pinsight_model_mpi(((const struct pinsight_report *)printing->view)->model);
    const struct pinsight_mpi_comm *comm = row;

    pinsight_json_open(json, "ranks", '[');
    for (uint32_t i = 0; i < comm->member_count; i++) {
        uint32_t world;

        pinsight_mpi_member(mpi, (uint32_t)(comm - mpi->comms), i, &world);
        if (world == PINSIGHT_MPI_NO_RANK)
            pinsight_json_null(json, NULL);
        else
            pinsight_json_unsigned(json, NULL, world);
    }
    pinsight_json_close(json, ']');
}

#define C(member) MEMBER(struct pinsight_mpi_comm, member)
static const struct pinsight_column comm_columns[] = {
    COLUMN("name", NULL, TEXT_NUMBER, C(name)),
    COLUMN("size", NULL, COUNT, C(sizes[0])),
    COLUMN("remote_size", NULL, COUNT, C(sizes[1])),
    WRITER("ranks", write_comm_ranks),
    FIELD(COUNT, C, collectives),
};

static const struct pinsight_table comms = {
    PINSIGHT_LIST("communicators", comm_columns),
};

struct pinsight_mpi_times pinsight_mpi_times_of(const struct pinsight_report *report) {
    struct pinsight_mpi_times times = {.library = ""};

    for (size_t i = 0; i < report->mpi->rank_count; i++) {
        const struct pinsight_mpi_rank_row *row = &report->mpi->ranks[i];

        if (!row->rank || !row->rank->process->selected)
            continue;
        times.ranks++;
        times.wall_ns += row->wall_ns;
        times.mpi_ns += row->mpi_ns;
        times.wait_ns += row->wait_ns;
        times.open_ns += row->open_ns;
        if (!times.library[0])
            times.library = pinsight_report_string(report, row->rank->library);
    }
    return times;
}

bool pinsight_mpi_only_counted(const struct pinsight_report *report) {
    const struct pinsight_mpi_sums *all = &report->mpi->all;

    return all->calls && all->calls == all->counted_calls;
}

void pinsight_mpi_traffic_json(const struct pinsight_report *report, struct pinsight_json *json) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    struct size_row rows[PINSIGHT_MPI_SIZES];

    pinsight_report_list(report, json, &pinsight_mpi_matrix_table, 0);
    pinsight_table_json(&sizes, &printing, PINSIGHT_ROWS(rows, make_sizes(report, rows)), 0, json);
    pinsight_table_json(&comms, &printing, PINSIGHT_ROWS(mpi->comms, mpi->comm_count), 0, json);
}

void pinsight_section_mpi_sizes(const struct pinsight_report *report, FILE *out) {
    struct size_row rows[PINSIGHT_MPI_SIZES];

    if (pinsight_model_mpi(report->model)->sends)
        pinsight_section_print_rows(report, out, &sizes,
                                    PINSIGHT_ROWS(rows, make_sizes(report, rows)), 0);
}

static struct pinsight_units rank_text(const struct pinsight_report *report, uint32_t row) {
    struct pinsight_value rank = pinsight_mpi_rank_value(report, row);
    struct pinsight_units units = {"?"};

    if (!rank.none)
        snprintf(units.text, sizeof(units.text), "%" PRIu64, rank.number);
    return units;
}

/* Returns a size such as "1.5K", in at most four columns. */
static struct pinsight_units short_size(uint64_t bytes) {
    static const char units[] = " KMGTPE";
    struct pinsight_units size;
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 999.5 && unit < 6) {
        value /= 1024;
        unit++;
    }
    if (!unit)
        snprintf(size.text, sizeof(size.text), "%.0f", value);
    else
        snprintf(size.text, sizeof(size.text), "%.*f%c", value < 9.95 ? 1 : 0, value, units[unit]);
    return size;
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
    uint64_t all = 0;

    for (size_t i = 0; i < view->flow_count; i++)
        all += value_of(&view->flows[i], what);
    if (!all && what != BYTES)
        return;
    fprintf(out, "   %8s", heads[what]);
    for (uint32_t to = 0; to < view->rank_count; to++)
        pinsight_styled(out, report->options.colour, PINSIGHT_DIM, " %6s",
                        rank_text(report, to).text);
    putc('\n', out);
    for (uint32_t from = 0; from < view->rank_count; from++) {
        pinsight_styled(out, report->options.colour, PINSIGHT_BOLD, "   %8s",
                        rank_text(report, from).text);
        for (uint32_t to = 0; to < view->rank_count; to++) {
            const struct pinsight_mpi_flow *flow = flow_of(view, from, to);

            if (!flow || !(value_of(flow, what) || (what == BYTES && flow->messages)))
                fputs("      ·", out);
            else if (what == MESSAGES)
                fprintf(out, " %6" PRIu64, flow->messages);
            else
                fprintf(out, " %6s", short_size(value_of(flow, what)).text);
        }
        putc('\n', out);
    }
}

ORDER(by_bytes, struct pinsight_mpi_flow,
      BY(b->bytes + b->collective_bytes, a->bytes + a->collective_bytes) ?: BY(a->from, b->from)
          ?: BY(a->to, b->to))

static void print_pairs(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;
    struct pinsight_mpi_flow *flows = pinsight_calloc(view->flow_count + 1, sizeof(*flows));

    memcpy(flows, view->flows, view->flow_count * sizeof(*flows));
    PINSIGHT_SORT(flows, view->flow_count, by_bytes);
    pinsight_report_table(report, out, &pinsight_mpi_matrix_table,
                          PINSIGHT_ROWS(flows, view->flow_count), limit);
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
                 : pinsight_format("%zu of %zu pairs; --matrix --format svg draws all",
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
