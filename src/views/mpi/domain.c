/* Views of MPI. */
#include "views/domain.h"

#include "reader/mpi/mpi.h"
#include "views/attribution_walk.h"
#include "views/mpi/mpi.h"

#define TOP_WAITS 4 /* in the summary */

static uint32_t function_of(const struct pinsight_model *model,
                            const struct pinsight_slice *slice) {
    return pinsight_model_mpi(model)->sites[slice->id].function;
}

static void text_of(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                    struct pinsight_slice_text *text) {
    const struct pinsight_model *model = texts->model;
    const struct pinsight_mpi *mpi = pinsight_model_mpi(model);

    text->name =
        pinsight_strings_text(&model->strings, mpi->functions[function_of(model, slice)].name);
}

static void details_of(const struct pinsight_slice *slice,
                       const struct pinsight_slice_details *details) {
    if (slice->bytes || slice->outs)
        pinsight_detail(details, "bytes", PINSIGHT_DETAIL_SIZE, slice->bytes);
    if (slice->peer >= 0)
        pinsight_detail(details, "peer", PINSIGHT_DETAIL_NUMBER, (uint64_t)slice->peer);
    if (slice->tag >= 0)
        pinsight_detail(details, "tag", PINSIGHT_DETAIL_NUMBER, (uint64_t)slice->tag);
}

static const struct slice_view call = {
    .category = "mpi", .word = "MPI", .text = text_of, .details = details_of, .runs = function_of};

static void print_lines(const struct pinsight_report *report, FILE *out, bool few) {
    pinsight_mpi_lines(report, out, TOP_WAITS, few);
}

/* Adds bytes and wait states, which slices do not have. */
static void add_attribution(struct pinsight_attribution_maker *maker,
                            const struct pinsight_report *report,
                            const struct pinsight_attribution_walk *walk) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);

    for (size_t i = 0; mpi && i < mpi->site_count; i++) {
        const struct pinsight_mpi_site *site = &mpi->sites[i];
        struct pinsight_attribution_work work = {.sent_bytes = site->sent_bytes,
                                                 .received_bytes = site->received_bytes};

        if (!mpi->ranks[site->rank]->process->selected)
            continue;
        pinsight_attribution_count(maker, READER_MPI, &site->counted);
        if (i >= walk->site_count || !walk->sites[i])
            continue;
        for (size_t w = 0; w < PINSIGHT_MPI_WAIT_COUNT; w++)
            work.waiting_ns += site->wait_ns[w];
        pinsight_attribution_add(maker, site->path, PINSIGHT_NONE, READER_MPI, &work);
    }
}

/* Returns the time in MPI_Init, MPI_Finalize and similar calls, in which ranks wait for all
 * others. */
static uint64_t start_up_of(const struct pinsight_report *report) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    uint64_t ns = 0;

    for (size_t i = 0; mpi && i < mpi->site_count; i++) {
        const struct pinsight_mpi_site *site = &mpi->sites[i];
        unsigned role = mpi->functions[site->function].role;

        if ((role == PINSIGHT_MPI_INITIALISES || role == PINSIGHT_MPI_FINALISES) &&
            mpi->ranks[site->rank]->process->selected)
            ns += site->total_ns;
    }
    return ns;
}

static int64_t rank_of(const struct pinsight_process *process) {
    const struct pinsight_mpi_rank *own = pinsight_process_mpi(process);

    return own && own->rank != PINSIGHT_MPI_NO_RANK ? (int64_t)own->rank : -1;
}

const struct view_domain view_domain_mpi = {
    .sections = pinsight_mpi_sections,
    .slices = {[PINSIGHT_SLICE_MPI] = &call},
    .bar = {"MPI", "▞", "+", PINSIGHT_MPI},
    .bar_waiting = {"MPI waiting", "╱", "%", PINSIGHT_DIM},
    .rank = rank_of,
    .seen = pinsight_mpi_seen,
    .start_up = start_up_of,
    .lines = print_lines,
    .brief = pinsight_section_mpi_brief,
    .json = pinsight_mpi_json,
    .rules = pinsight_mpi_rules,
    .attribution = add_attribution,
};
