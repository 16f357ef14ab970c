/* MPI for other programs: the CSV of call sites, and the JSON object. */
#include "views/mpi/mpi.h"

#include "views/report/tables.h"

static const struct pinsight_mpi_view *mpi_of(const void *view) {
    return ((const struct pinsight_report *)view)->mpi;
}

static const struct pinsight_mpi_site *site_of(const void *row) {
    return row;
}

static const struct pinsight_mpi *model_of(const void *view) {
    return pinsight_model_mpi(((const struct pinsight_report *)view)->model);
}

/* Returns the line of a site. site_lines has the index of the site. */
static uint32_t line_of(const void *view, const void *row) {
    return mpi_of(view)->site_lines[site_of(row) - model_of(view)->sites];
}

static const struct pinsight_mpi_row *row_of(const void *view, const void *row) {
    return &mpi_of(view)->lines[line_of(view, row)];
}

static const struct pinsight_mpi_place *place_of(const void *view, const void *row) {
    return &mpi_of(view)->places[row_of(view, row)->place];
}

static struct pinsight_value rank(const void *view, const void *row) {
    uint32_t number = model_of(view)->ranks[site_of(row)->rank]->rank;

    return number == PINSIGHT_MPI_NO_RANK ? pinsight_value_none() : pinsight_value_number(number);
}

VALUE(function, void, pinsight_value_text(row_of(report, row)->name))

VALUE(kind, void, pinsight_value_text(pinsight_mpi_kind_word(row_of(report, row)->kind)))

static struct pinsight_value python_function(const void *view, const void *row) {
    const struct pinsight_mpi_place *place = place_of(view, row);

    return pinsight_value_text(place->python ? place->name : NULL);
}

VALUE(file, void, pinsight_value_text(place_of(report, row)->file))

static struct pinsight_value line(const void *view, const void *row) {
    int32_t number = place_of(view, row)->line;

    return number ? pinsight_value_signed(number) : pinsight_value_none();
}

VALUE(calls, struct pinsight_mpi_site, pinsight_value_number(row->calls + row->counted.calls))

VALUE(total, struct pinsight_mpi_site, pinsight_value_number(row->total_ns + row->counted.total_ns))

static void write_place(struct pinsight_json *json, const struct pinsight_printing *printing,
                        const void *row) {
    pinsight_mpi_write_place(json, printing, line_of(printing->view, row));
}

#define S(member) MEMBER(struct pinsight_mpi_site, member)
static const struct pinsight_column columns[] = {
    GETTER("rank", NULL, ID, rank),
    GETTER("function", NULL, STRING, function),
    GETTER("kind", NULL, WORD, kind),
    GETTER("python_function", NULL, TEXT, python_function),
    GETTER("file", NULL, TEXT, file),
    GETTER("line", NULL, SIGNED, line),
    WRITER("place", write_place),
    GETTER("calls", NULL, COUNT, calls),
    FIELD(COUNT, S, failed),
    GETTER("total_ns", NULL, NS, total),
    FIELDS(NS, S, min_ns, max_ns),
    FIELDS(BYTES, S, sent_bytes, received_bytes),
    COLUMN("wait_ns", NULL, NS, S(wait_ns), .word = pinsight_mpi_wait_word,
           .parts = PINSIGHT_MPI_WAIT_COUNT, .part_prefix = ""),
    FIELD(NS, S, caused_ns),
    COLUMN("since_ns", NULL, NS, S(open_ns)),
    COLUMN("last_value", NULL, SIGNED, S(failure)),
};

HAS(has_calls, struct pinsight_mpi_site,
    ((row->calls || row->counted.calls) && model_of(report)->ranks[row->rank]->process->selected))

HAS(is_open, struct pinsight_mpi_site, row->open != 0)

HAS(has_failed, struct pinsight_mpi_site, row->failed != 0)

static struct pinsight_rows site_rows(const void *report) {
    const struct pinsight_mpi *mpi = model_of(report);

    return PINSIGHT_ROWS(mpi ? mpi->sites : NULL, mpi ? mpi->site_count : 0);
}

const struct pinsight_table pinsight_mpi_site_table = {
    .make = site_rows,
    PINSIGHT_COLUMNS(columns),
    .has = has_calls,
    .json = "rank place",
    .csv = "rank function kind python_function file line calls failed total_ns min_ns max_ns "
           "sent_bytes received_bytes wait_ns caused_ns",
};

static const struct pinsight_table open_calls = {
    PINSIGHT_LIST("open_calls", columns),
    .make = site_rows,
    .has = is_open,
    .json = "rank place since_ns",
};

static const struct pinsight_table failed_calls = {
    PINSIGHT_LIST("failed_calls", columns),
    .make = site_rows,
    .has = has_failed,
    .json = "rank place failed last_value",
};

static void write_site(struct pinsight_json *json, const struct pinsight_printing *printing,
                       const void *row) {
    const struct pinsight_mpi_death *death = row;

    pinsight_row_members(&pinsight_mpi_site_table, printing,
                         &model_of(printing->view)->sites[death->site], json);
}

#define D(member) MEMBER(struct pinsight_mpi_death, member)
static const struct pinsight_column death_columns[] = {
    WRITER("site", write_site),
    COLUMN("how", NULL, WORD, D(how), .word = pinsight_mpi_end_word),
    COLUMN("at_ns", NULL, NS, D(ns)),
};

static const struct pinsight_table deaths = {
    PINSIGHT_LIST("deaths", death_columns),
    MPI_ROWS(deaths, death_count),
};

#define E(member) MEMBER(struct pinsight_mpi_efficiency, member)
static const struct pinsight_column efficiency_columns[] = {
    FIELDS(NS, E, runtime_ns, useful_mean_ns, useful_max_ns),
    FIELDS(REAL, E, parallel, load_balance, communication),
    COLUMN("serialisation", NULL, REAL, E(serialisation), .needs = E(parts_known)),
    COLUMN("transfer", NULL, REAL, E(transfer), .needs = E(parts_known)),
};

static const struct pinsight_table efficiency = {
    PINSIGHT_COLUMNS(efficiency_columns),
};

#define M(member) MEMBER(struct pinsight_mpi, member)
static const struct pinsight_column matching_columns[] = {
    FIELDS(COUNT, M, sends, receives, matched, byte_mismatches, collectives),
    COLUMN("incomplete_collectives", NULL, COUNT, M(incomplete)),
    COLUMN("misaligned_collectives", NULL, COUNT, M(misaligned)),
    FIELDS(COUNT, M, unmatched_begins, unmatched_ends),
};
static const struct pinsight_table matching = {
    PINSIGHT_COLUMNS(matching_columns),
    .json = "sends receives matched byte_mismatches collectives incomplete_collectives "
            "misaligned_collectives",
};
static const struct pinsight_table unmatched = {
    PINSIGHT_COLUMNS(matching_columns),
    .json = "unmatched_begins unmatched_ends",
};

#define V(member) MEMBER(struct pinsight_mpi_view, member)
static const struct pinsight_column request_columns[] = {
    FIELDS(COUNT, V, requests_started, requests_completed, requests_freed, requests_cancelled),
    COLUMN("recording_ended_in", NULL, COUNT, V(ended)),
};
static const struct pinsight_table requests = {
    PINSIGHT_COLUMNS(request_columns),
};

void pinsight_mpi_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    const struct pinsight_mpi_view *view = report->mpi;
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);

    if (!mpi) {
        pinsight_json_null(json, "mpi");
        return;
    }
    pinsight_json_open(json, "mpi", '{');
    pinsight_row_members(&pinsight_mpi_sums_table, &printing, &view->all, json);
    pinsight_row_json(&efficiency, &printing, view->efficiency.known ? &view->efficiency : NULL,
                      "efficiency", json);
    pinsight_report_list(report, json, &pinsight_mpi_rank_table, 0);
    pinsight_mpi_calls_json(report, json, limit);
    pinsight_mpi_waits_json(report, json, limit);
    pinsight_mpi_traffic_json(report, json);
    pinsight_json_open(json, "matching", '{');
    pinsight_row_members(&matching, &printing, mpi, json);
    pinsight_row_members(&requests, &printing, view, json);
    pinsight_row_members(&unmatched, &printing, mpi, json);
    pinsight_json_close(json, '}');
    pinsight_report_list(report, json, &open_calls, 0);
    pinsight_report_list(report, json, &deaths, 0);
    pinsight_report_list(report, json, &failed_calls, 0);
    pinsight_json_close(json, '}');
}
