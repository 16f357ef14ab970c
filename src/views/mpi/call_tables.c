/* The tables of MPI calls: by function, by Python function, and by line. */
#include "views/mpi/mpi.h"

#include "base/memory.h"
#include "base/text.h"
#include "views/report/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Narrower screens leave out columns. */
#define WIDTH_FOR_SIZES 110
#define WIDTH_FOR_RANKS 96
#define WIDTH_FOR_RANKS_AND_SIZES 120

static const struct pinsight_mpi_view *mpi_of(const void *view) {
    return ((const struct pinsight_report *)view)->mpi;
}

/* Returns a place such as "solve (app.py:12)", or its known parts. The caller frees it. */
static char *place_text(const struct pinsight_mpi_place *place) {
    const char *file = place->python ? place->file : pinsight_text_file(place->file);
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

/* Returns "solve (app.py:12) MPI_Recv", or "app.py:12 MPI_Recv" if there is little room. The
 * function comes last, because a table cuts off the start. */
char *pinsight_mpi_call_text(const struct pinsight_mpi_view *view, uint32_t line, bool wide) {
    const struct pinsight_mpi_place *place = &view->places[view->lines[line].place];
    char *where, *text;

    if (wide || !place->file[0])
        where = place_text(place);
    else
        where = pinsight_text_place(pinsight_text_file(place->file), place->line);
    text = place->name || place->file[0] ? pinsight_format("%s %s", where, view->lines[line].name)
                                         : pinsight_strdup(view->lines[line].name);
    free(where);
    return text;
}

struct pinsight_value pinsight_mpi_rank_value(const void *view, uint32_t row) {
    uint32_t number = mpi_of(view)->ranks[row].number;

    return number == PINSIGHT_MPI_NO_RANK ? pinsight_value_none() : pinsight_value_number(number);
}

void pinsight_mpi_write_rank(struct pinsight_json *json, const void *view, uint32_t row) {
    struct pinsight_value rank = pinsight_mpi_rank_value(view, row);

    if (rank.none)
        pinsight_json_null(json, "rank");
    else
        pinsight_json_unsigned(json, "rank", rank.number);
}

VALUE(sums_share, struct pinsight_mpi_sums,
      pinsight_value_share(row->total_ns, report->mpi->all.total_ns))

VALUE(sums_mean, struct pinsight_mpi_sums,
      pinsight_value_number(row->calls ? row->total_ns / row->calls : 0))

static struct pinsight_value of_one_call(const struct pinsight_mpi_sums *sums, uint64_t ns) {
    return (struct pinsight_value){.none = sums->calls <= sums->counted_calls, .number = ns};
}

VALUE(sums_min, struct pinsight_mpi_sums, of_one_call(row, row->min_ns))

VALUE(sums_max, struct pinsight_mpi_sums, of_one_call(row, row->max_ns))

/* For the screen. Counts have neither waiting nor the longest call. */
static struct pinsight_value of_recorded(const struct pinsight_mpi_sums *sums, uint64_t ns) {
    return (struct pinsight_value){
        .none = sums->counted_calls && sums->calls == sums->counted_calls, .number = ns};
}

VALUE(shown_max, struct pinsight_mpi_sums, of_recorded(row, row->max_ns))

VALUE(shown_waiting, struct pinsight_mpi_sums, of_recorded(row, row->wait_ns))

/* There is no value if no call returned, and the time is that of open calls. */
VALUE(sums_calls, struct pinsight_mpi_sums,
      (struct pinsight_value){.none = !row->calls && row->total_ns, .number = row->calls})

#define S(member) MEMBER(struct pinsight_mpi_sums, member)
static const struct pinsight_column sum_columns[] = {
    COLUMN("calls", NULL, COUNT, S(calls), .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    GETTER("calls", "calls", COUNT, sums_calls, .none = "not returned",
           .only = PINSIGHT_FORM_SCREEN),
    FIELD(COUNT, S, failed),
    COLUMN("total_ns", "total", NS, S(total_ns), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, sums_share),
    GETTER("mean", "mean", NS, sums_mean),
    FIELD(COUNT, S, counted_calls),
    GETTER("min_ns", NULL, NS, sums_min),
    GETTER("max_ns", NULL, NS, sums_max),
    GETTER("max", "max", NS, shown_max),
    COLUMN("wait_ns", NULL, NS, S(wait_ns)),
    GETTER("waiting", "waiting", NS, shown_waiting),
    FIELD(NS, S, caused_ns),
    COLUMN("sent_bytes", "sent", BYTES, S(sent_bytes), .width = WIDTH_FOR_SIZES),
    COLUMN("received_bytes", "received", BYTES, S(received_bytes), .width = WIDTH_FOR_SIZES),
    /* For tables with the columns of ranks besides. */
    COLUMN("sent", "sent", BYTES, S(sent_bytes), .width = WIDTH_FOR_RANKS_AND_SIZES),
    COLUMN("received", "received", BYTES, S(received_bytes), .width = WIDTH_FOR_RANKS_AND_SIZES),
};

#define SUMS                                                                                       \
    "calls failed total_ns counted_calls min_ns max_ns wait_ns caused_ns sent_bytes "              \
    "received_bytes"
#define SUMS_ON_SCREEN "total_ns share calls mean max waiting "

const struct pinsight_table pinsight_mpi_sums_table = {PINSIGHT_COLUMNS(sum_columns), .json = SUMS};

static const struct pinsight_mpi_place *place_of(const void *view, const void *row) {
    return &mpi_of(view)->places[((const struct pinsight_mpi_row *)row)->place];
}

VALUE(line_place, void, pinsight_value_owned(place_text(place_of(report, row))))

/* Writes the members of a row's line: a Python function, or native code. */
static void write_place(struct pinsight_json *json, const struct pinsight_printing *printing,
                        const void *row) {
    const struct pinsight_mpi_place *place = place_of(printing->view, row);
    const char *kinds[2][3] = {{"native_symbol", "native_file", "native_line"},
                               {"python_function", "python_file", "python_line"}};

    for (int python = 1; python >= 0; python--) {
        bool here = place->python == (python == 1);

        pinsight_json_text(json, kinds[python][0], here ? place->name : NULL);
        pinsight_json_text(json, kinds[python][1], here ? place->file : NULL);
        if (here && place->line)
            pinsight_json_signed(json, kinds[python][2], place->line);
        else
            pinsight_json_null(json, kinds[python][2]);
    }
}

/* Returns the index of the calling rank with the least or the most time in a function. Returns
 * PINSIGHT_NONE if no rank calls it. */
static uint32_t extreme_rank(const void *view, const struct pinsight_mpi_row *row, bool most) {
    uint32_t found = PINSIGHT_NONE;

    for (uint32_t i = 0; i < mpi_of(view)->rank_count; i++)
        if (row->ranks[i].calls && (found == PINSIGHT_NONE ||
                                    (most ? row->ranks[i].total_ns > row->ranks[found].total_ns
                                          : row->ranks[i].total_ns < row->ranks[found].total_ns)))
            found = i;
    return found;
}

/* Returns the rank with the least time, unless the same rank has the most. */
static uint32_t least_rank(const void *view, const void *row) {
    uint32_t least = extreme_rank(view, row, false);

    return least == extreme_rank(view, row, true) ? PINSIGHT_NONE : least;
}

static struct pinsight_value time_of_rank(const struct pinsight_mpi_row *row, uint32_t rank) {
    return rank == PINSIGHT_NONE ? pinsight_value_none()
                                 : pinsight_value_number(row->ranks[rank].total_ns);
}

struct pinsight_value pinsight_mpi_ranks_text(const void *view, uint32_t row, uint32_t ranks) {
    struct pinsight_value rank;
    char *one, *text;

    if (row == PINSIGHT_NONE)
        return pinsight_value_none();
    rank = pinsight_mpi_rank_value(view, row);
    one = rank.none ? pinsight_strdup("?") : pinsight_format("%" PRIu64, rank.number);
    if (ranks < 2)
        return pinsight_value_owned(one);
    text = pinsight_format("%s and %" PRIu32 " other%s", one, ranks - 1, ranks == 2 ? "" : "s");
    free(one);
    return pinsight_value_owned(text);
}

VALUE(least, void, time_of_rank(row, least_rank(report, row)))

VALUE(most, void, time_of_rank(row, extreme_rank(report, row, true)))

VALUE(rank_of_least, void, pinsight_mpi_ranks_text(report, least_rank(report, row), 1))

VALUE(rank_of_most, void, pinsight_mpi_ranks_text(report, extreme_rank(report, row, true), 1))

static void write_ranks(struct pinsight_json *json, const struct pinsight_printing *printing,
                        const void *row) {
    const struct pinsight_mpi_row *function = row;

    pinsight_json_open(json, "ranks", '[');
    for (uint32_t r = 0; r < mpi_of(printing->view)->rank_count; r++) {
        if (!function->ranks[r].calls)
            continue;
        pinsight_json_open(json, NULL, '{');
        pinsight_mpi_write_rank(json, printing->view, r);
        pinsight_row_members(&pinsight_mpi_sums_table, printing, &function->ranks[r], json);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

#define R(member) MEMBER(struct pinsight_mpi_row, member)
static const struct pinsight_column row_columns[] = {
    COLUMN("name", "function", STRING, R(name), .align = PINSIGHT_LEFT, .style = PINSIGHT_C),
    COLUMN("function", NULL, STRING, R(name)),
    COLUMN("kind", NULL, WORD, R(kind), .word = pinsight_mpi_kind_word),
    INNER(NULL, &pinsight_mpi_sums_table, R(sums)),
    GETTER("least", "least", NS, least, .width = WIDTH_FOR_RANKS),
    GETTER("rank_of_least", "rank", TEXT, rank_of_least, .none = "-", .style = PINSIGHT_DIM,
           .width = WIDTH_FOR_RANKS),
    GETTER("most", "most", NS, most),
    GETTER("rank_of_most", "rank", TEXT, rank_of_most, .none = "-", .style = PINSIGHT_DIM),
    WRITER("ranks", write_ranks),
    WRITER("place", write_place),
    GETTER("caller", "called by", TEXT, line_place, NAMES_IN(PYTHON)),
};

static const struct pinsight_table functions = {
    PINSIGHT_TITLED("MPI functions", "all ranks together", "functions", row_columns),
    .empty = true,
    MPI_ROWS(functions, function_count),
    .screen = SUMS_ON_SCREEN "sent received least rank_of_least most rank_of_most name",
    .json = "name kind " SUMS " ranks",
};

/* MONITORING, and calls that have not returned, leave lines without calls. */
HAS(has_calls, struct pinsight_mpi_row, row->sums.calls != 0)

#define LINES(filter)                                                                              \
    {                                                                                              \
        .title = "Lines", .remark = "calls of MPI by the line that made them", .empty = true,      \
        .key = "lines", MPI_ROWS(lines, line_count), PINSIGHT_COLUMNS(row_columns), .has = filter, \
        .screen = SUMS_ON_SCREEN "sent_bytes received_bytes name caller",                          \
        .json = "function place " SUMS                                                             \
    }

const struct pinsight_table pinsight_mpi_line_table = LINES(NULL);
static const struct pinsight_table lines_with_calls = LINES(has_calls);

void pinsight_mpi_write_place(struct pinsight_json *json, const struct pinsight_printing *printing,
                              uint32_t line) {
    const struct pinsight_mpi_row *row = &mpi_of(printing->view)->lines[line];

    pinsight_json_string(json, "function", row->name);
    write_place(json, printing, row);
}

/* There is no place without any known Python function. */
FUNCTION_PLACE(caller_place, struct pinsight_mpi_caller)

#define C(member) MEMBER(struct pinsight_mpi_caller, member)
static const struct pinsight_column caller_columns[] = {
    FUNCTION_COLUMNS("(no Python)", C, caller_place),
    INNER(NULL, &pinsight_mpi_sums_table, C(sums)),
};

static const struct pinsight_table callers = {
    PINSIGHT_TITLED("Python functions", "their time in MPI", "python_functions", caller_columns),
    MPI_ROWS(callers, caller_count),
    .screen = SUMS_ON_SCREEN "sent_bytes received_bytes name place",
    .json = "name file line " SUMS,
};

void pinsight_mpi_print_calls(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;

    pinsight_section_print(report, out, &functions, limit);
    if (view->caller_count > 1 || (view->caller_count && view->callers[0].name))
        pinsight_section_print(report, out, &callers, limit);
    pinsight_section_print(report, out, &pinsight_mpi_line_table, limit);
}

void pinsight_mpi_calls_json(const struct pinsight_report *report, struct pinsight_json *json,
                             size_t limit) {
    pinsight_report_list(report, json, &functions, limit);
    pinsight_report_list(report, json, &lines_with_calls, limit);
    pinsight_report_list(report, json, &callers, limit);
}
