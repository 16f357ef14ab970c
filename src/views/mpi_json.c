/* MPI as JSON; docs/report-json.md describes it. */
#include "views/mpi.h"

static void write_rank(struct pinsight_json *json, const char *key,
                       const struct pinsight_mpi_view *view, uint32_t row) {
    if (view->ranks[row].number == PINSIGHT_MPI_NO_RANK)
        pinsight_json_null(json, key);
    else
        pinsight_json_unsigned(json, key, view->ranks[row].number);
}

static void write_sums(struct pinsight_json *json, const struct pinsight_mpi_sums *sums) {
    pinsight_json_unsigned(json, "calls", sums->calls);
    pinsight_json_unsigned(json, "failed", sums->failed);
    pinsight_json_unsigned(json, "total_ns", sums->total_ns);
    pinsight_json_unsigned(json, "counted_calls", sums->counted_calls);
    if (sums->calls > sums->counted_calls) {
        pinsight_json_unsigned(json, "min_ns", sums->min_ns);
        pinsight_json_unsigned(json, "max_ns", sums->max_ns);
    } else {
        pinsight_json_null(json, "min_ns");
        pinsight_json_null(json, "max_ns");
    }
    pinsight_json_unsigned(json, "wait_ns", sums->wait_ns);
    pinsight_json_unsigned(json, "caused_ns", sums->caused_ns);
    pinsight_json_unsigned(json, "sent_bytes", sums->sent_bytes);
    pinsight_json_unsigned(json, "received_bytes", sums->received_bytes);
}

/* The line that a row is of. */
static void write_place(struct pinsight_json *json, const struct pinsight_mpi_view *view,
                        const struct pinsight_mpi_row *row) {
    const struct pinsight_mpi_place *place = &view->places[row->place];
    const char *kinds[2][3] = {{"native_symbol", "native_file", "native_line"},
                               {"python_function", "python_file", "python_line"}};

    pinsight_json_string(json, "function", row->name);
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

static void write_ranks(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_mpi_view *view = report->mpi;

    pinsight_json_open(json, "ranks", '[');
    for (uint32_t i = 0; i < view->rank_count; i++) {
        const struct pinsight_mpi_rank_row *row = &view->ranks[i];
        const struct pinsight_mpi_rank *rank = row->rank;

        pinsight_json_open(json, NULL, '{');
        write_rank(json, "rank", view, i);
        pinsight_json_bool(json, "recorded", rank != NULL);
        if (rank) {
            pinsight_json_signed(json, "pid", rank->process->pid);
            pinsight_json_text(json, "hostname",
                               pinsight_report_string(report, rank->process->hostname));
            pinsight_json_text(json, "flavour", pinsight_report_string(report, rank->flavour));
            pinsight_json_text(json, "library", pinsight_report_string(report, rank->library));
            pinsight_json_text(json, "standard", pinsight_report_string(report, rank->standard));
            pinsight_json_bool(json, "finalized", rank->finalised);
            pinsight_json_unsigned(json, "begin_ns", rank->begin_ns);
            pinsight_json_unsigned(json, "end_ns", rank->end_ns);
            pinsight_json_unsigned(json, "wall_ns", row->wall_ns);
            pinsight_json_unsigned(json, "mpi_ns", row->mpi_ns);
            pinsight_json_unsigned(json, "wait_ns", row->wait_ns);
            pinsight_json_unsigned(json, "useful_ns", row->useful_ns);
            pinsight_json_unsigned(json, "calls", row->calls);
            pinsight_json_unsigned(json, "requests_started", rank->requests_started);
            pinsight_json_unsigned(json, "requests_completed", rank->requests_completed);
        }
        pinsight_json_unsigned(json, "sent_messages", row->sent);
        pinsight_json_unsigned(json, "sent_bytes", row->sent_bytes);
        pinsight_json_unsigned(json, "received_messages", row->received);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_functions(const struct pinsight_report *report, struct pinsight_json *json,
                            size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;

    pinsight_json_open(json, "functions", '[');
    for (size_t i = 0; i < view->function_count && (!limit || i < limit); i++) {
        const struct pinsight_mpi_row *row = &view->functions[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "name", row->name);
        pinsight_json_string(json, "kind", pinsight_mpi_kind_word(row->kind));
        write_sums(json, &row->sums);
        pinsight_json_open(json, "ranks", '[');
        for (uint32_t r = 0; r < view->rank_count; r++) {
            if (!row->ranks[r].calls)
                continue;
            pinsight_json_open(json, NULL, '{');
            write_rank(json, "rank", view, r);
            write_sums(json, &row->ranks[r]);
            pinsight_json_close(json, '}');
        }
        pinsight_json_close(json, ']');
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_lines(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;
    size_t shown = 0;

    pinsight_json_open(json, "lines", '[');
    for (size_t i = 0; i < view->line_count && (!limit || shown < limit); i++) {
        const struct pinsight_mpi_row *row = &view->lines[i];

        if (!row->sums.calls)
            continue;
        shown++;
        pinsight_json_open(json, NULL, '{');
        write_place(json, view, row);
        write_sums(json, &row->sums);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    pinsight_json_open(json, "python_functions", '[');
    for (size_t i = 0; i < view->caller_count && (!limit || i < limit); i++) {
        const struct pinsight_mpi_caller *row = &view->callers[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_function(json, row->name, row->file, row->line);
        write_sums(json, &row->sums);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_waits(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit) {
    const struct pinsight_mpi_view *view = report->mpi;

    pinsight_json_open(json, "wait_ns", '{');
    for (uint8_t i = 0; i < PINSIGHT_MPI_WAIT_COUNT; i++)
        pinsight_json_unsigned(json, pinsight_mpi_wait_word(i), view->wait_ns[i]);
    pinsight_json_close(json, '}');
    pinsight_json_open(json, "wait_states", '[');
    for (size_t i = 0; i < view->pair_count && (!limit || i < limit); i++) {
        const struct pinsight_mpi_wait *row = &view->pairs[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "kind", pinsight_mpi_wait_word(row->kind));
        pinsight_json_unsigned(json, "count", row->count);
        pinsight_json_unsigned(json, "total_ns", row->total_ns);
        pinsight_json_unsigned(json, "max_ns", row->max_ns);
        pinsight_json_unsigned(json, "longest_at_ns", row->longest_at_ns);
        pinsight_json_open(json, "suffers", '{');
        write_rank(json, "rank", view, row->suffering_rank);
        write_place(json, view, &view->lines[row->suffers]);
        pinsight_json_close(json, '}');
        pinsight_json_open(json, "causes", '{');
        write_rank(json, "rank", view, row->causing_rank);
        write_place(json, view, &view->lines[row->causes]);
        pinsight_json_close(json, '}');
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_efficiency(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_mpi_efficiency *e = &report->mpi->efficiency;

    if (!e->known) {
        pinsight_json_null(json, "efficiency");
        return;
    }
    pinsight_json_open(json, "efficiency", '{');
    pinsight_json_unsigned(json, "runtime_ns", e->runtime_ns);
    pinsight_json_unsigned(json, "useful_mean_ns", e->useful_mean_ns);
    pinsight_json_unsigned(json, "useful_max_ns", e->useful_max_ns);
    pinsight_json_real(json, "parallel", e->parallel);
    pinsight_json_real(json, "load_balance", e->load_balance);
    pinsight_json_real(json, "communication", e->communication);
    if (e->parts_known) {
        pinsight_json_real(json, "serialisation", e->serialisation);
        pinsight_json_real(json, "transfer", e->transfer);
    } else {
        pinsight_json_null(json, "serialisation");
        pinsight_json_null(json, "transfer");
    }
    pinsight_json_close(json, '}');
}

static void write_matrix(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_mpi_view *view = report->mpi;

    pinsight_json_open(json, "matrix", '[');
    for (size_t i = 0; i < view->flow_count; i++) {
        const struct pinsight_mpi_flow *flow = &view->flows[i];

        pinsight_json_open(json, NULL, '{');
        write_rank(json, "from", view, flow->from);
        write_rank(json, "to", view, flow->to);
        pinsight_json_unsigned(json, "messages", flow->messages);
        pinsight_json_unsigned(json, "bytes", flow->bytes);
        pinsight_json_unsigned(json, "received", flow->received);
        pinsight_json_unsigned(json, "matched", flow->matched);
        pinsight_json_unsigned(json, "collective_operations", flow->operations);
        pinsight_json_unsigned(json, "collective_bytes", flow->collective_bytes);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_sizes(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_mpi *mpi = report->model->mpi;

    pinsight_json_open(json, "message_sizes", '[');
    for (unsigned i = 0; i < PINSIGHT_MPI_SIZES; i++) {
        if (!mpi->size_messages[i])
            continue;
        pinsight_json_open(json, NULL, '{');
        pinsight_json_unsigned(json, "from_bytes", i ? UINT64_C(1) << (i - 1) : 0);
        pinsight_json_unsigned(json, "to_bytes", i ? (UINT64_MAX >> (64 - i)) : 0);
        pinsight_json_unsigned(json, "messages", mpi->size_messages[i]);
        pinsight_json_unsigned(json, "bytes", mpi->size_bytes[i]);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_comms(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_mpi *mpi = report->model->mpi;

    pinsight_json_open(json, "communicators", '[');
    for (uint32_t c = 0; c < mpi->comm_count; c++) {
        const struct pinsight_mpi_comm *comm = &mpi->comms[c];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_text(json, "name", pinsight_report_string(report, comm->name));
        pinsight_json_unsigned(json, "size", comm->sizes[0]);
        pinsight_json_unsigned(json, "remote_size", comm->sizes[1]);
        pinsight_json_open(json, "ranks", '[');
        for (uint32_t i = 0; i < comm->member_count; i++) {
            uint32_t world;

            pinsight_mpi_member(mpi, c, i, &world);
            if (world == PINSIGHT_MPI_NO_RANK)
                pinsight_json_null(json, NULL);
            else
                pinsight_json_unsigned(json, NULL, world);
        }
        pinsight_json_close(json, ']');
        pinsight_json_unsigned(json, "collectives", comm->collectives);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

/* The object of a place in a rank where MPI is called; the caller closes it. */
static void open_site(struct pinsight_json *json, const struct pinsight_mpi *mpi,
                      const struct pinsight_mpi_view *view, size_t site) {
    uint32_t rank = mpi->ranks[mpi->sites[site].rank]->rank;

    pinsight_json_open(json, NULL, '{');
    if (rank == PINSIGHT_MPI_NO_RANK)
        pinsight_json_null(json, "rank");
    else
        pinsight_json_unsigned(json, "rank", rank);
    write_place(json, view, &view->lines[view->site_lines[site]]);
}

static void write_matching(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_mpi *mpi = report->model->mpi;
    const struct pinsight_mpi_view *view = report->mpi;

    pinsight_json_open(json, "matching", '{');
    pinsight_json_unsigned(json, "sends", mpi->sends);
    pinsight_json_unsigned(json, "receives", mpi->receives);
    pinsight_json_unsigned(json, "matched", mpi->matched);
    pinsight_json_unsigned(json, "byte_mismatches", mpi->byte_mismatches);
    pinsight_json_unsigned(json, "collectives", mpi->collectives);
    pinsight_json_unsigned(json, "incomplete_collectives", mpi->incomplete);
    pinsight_json_unsigned(json, "misaligned_collectives", mpi->misaligned);
    pinsight_json_unsigned(json, "requests_started", view->requests_started);
    pinsight_json_unsigned(json, "requests_completed", view->requests_completed);
    pinsight_json_unsigned(json, "requests_freed", view->requests_freed);
    pinsight_json_unsigned(json, "requests_cancelled", view->requests_cancelled);
    pinsight_json_unsigned(json, "unmatched_begins", mpi->unmatched_begins);
    pinsight_json_unsigned(json, "unmatched_ends", mpi->unmatched_ends);
    pinsight_json_close(json, '}');
}

static void write_troubles(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_mpi *mpi = report->model->mpi;
    const struct pinsight_mpi_view *view = report->mpi;

    pinsight_json_open(json, "open_calls", '[');
    for (size_t i = 0; i < mpi->site_count; i++) {
        const struct pinsight_mpi_site *site = &mpi->sites[i];

        if (!site->open)
            continue;
        open_site(json, mpi, view, i);
        pinsight_json_unsigned(json, "since_ns", site->open_ns);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    pinsight_json_open(json, "failed_calls", '[');
    for (size_t i = 0; i < mpi->site_count; i++) {
        const struct pinsight_mpi_site *site = &mpi->sites[i];

        if (!site->failed)
            continue;
        open_site(json, mpi, view, i);
        pinsight_json_unsigned(json, "failed", site->failed);
        pinsight_json_signed(json, "last_value", site->failure);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

void pinsight_mpi_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit) {
    if (!report->model->mpi) {
        pinsight_json_null(json, "mpi");
        return;
    }
    pinsight_json_open(json, "mpi", '{');
    write_sums(json, &report->mpi->all);
    write_efficiency(report, json);
    write_ranks(report, json);
    write_functions(report, json, limit);
    write_lines(report, json, limit);
    write_waits(report, json, limit);
    write_matrix(report, json);
    write_sizes(report, json);
    write_comms(report, json);
    write_matching(report, json);
    write_troubles(report, json);
    pinsight_json_close(json, '}');
}
