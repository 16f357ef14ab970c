/* Views of CUDA. */
#include "views/domain.h"

#include "base/memory.h"
#include "base/units.h"
#include "views/attribution_walk.h"
#include "views/cuda/cuda.h"
#include "views/cuda/idle.h"
#include "views/report/not_recorded_notices.h"

static uint32_t function_of(const struct pinsight_model *model,
                            const struct pinsight_slice *slice) {
    return pinsight_model_cuda(model)->sites[slice->id].function;
}

static void text_of_call(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text) {
    const struct pinsight_model *model = texts->model;
    const struct pinsight_cuda *cuda = pinsight_model_cuda(model);

    text->name =
        pinsight_strings_text(&model->strings, cuda->functions[function_of(model, slice)].name);
}

static void text_of_work(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text) {
    const struct pinsight_model *model = texts->model;

    text->name =
        pinsight_strings_text(&model->strings, pinsight_model_cuda(model)->works[slice->id].name);
}

static void details_of(const struct pinsight_slice *slice,
                       const struct pinsight_slice_details *details) {
    static const char *const grid[] = {"grid_x", "grid_y", "grid_z"};
    static const char *const block[] = {"block_x", "block_y", "block_z"};

    if (slice->bytes)
        pinsight_detail(details, "bytes", PINSIGHT_DETAIL_SIZE, slice->bytes);
    if (slice->correlation)
        pinsight_detail(details, "correlation", PINSIGHT_DETAIL_SIZE, slice->correlation);
    for (size_t i = 0; slice->shape.grid[0] && i < 3; i++)
        pinsight_detail(details, grid[i], PINSIGHT_DETAIL_SIZE, slice->shape.grid[i]);
    for (size_t i = 0; slice->shape.grid[0] && i < 3; i++)
        pinsight_detail(details, block[i], PINSIGHT_DETAIL_SIZE, slice->shape.block[i]);
}

static const struct slice_view call = {.category = "cuda",
                                       .word = "CUDA",
                                       .text = text_of_call,
                                       .details = details_of,
                                       .runs = function_of};
static const struct slice_view work = {
    .category = "device", .word = "device", .text = text_of_work, .details = details_of};

/* Adds notices of errors in devices' times, which the times of calls show. */
static void notice_clock(struct pinsight_notices *notices, const struct pinsight_cuda *cuda) {
    const struct pinsight_cuda_error *early = &cuda->early, *late = &cuda->late;
    uint64_t most_ns = early->most_ns > late->most_ns ? early->most_ns : late->most_ns;

    if (cuda->calibrated)
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "CUPTI took devices' times from a clock of its own, which was compared "
                        "with the trace's: they may be off by %s.",
                        pinsight_units_time(cuda->clock_error_ns).text);
    if (early->count || late->count)
        pinsight_notice(
            notices, PINSIGHT_NOTICE_ALWAYS,
            "Devices' times are off by up to %s: of %s pieces of work %s began before "
            "they were asked for, of %s %s ended after a call had waited for them.",
            pinsight_units_time(most_ns).text, pinsight_units_count(early->checked).text,
            pinsight_units_count(early->count).text, pinsight_units_count(late->checked).text,
            pinsight_units_count(late->count).text);
}

/* Adds notices of missing or changed data of devices. */
static void notice_missing(struct pinsight_notices *notices, const struct pinsight_report *report) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);

    if (!cuda)
        return;
    PINSIGHT_NOTICE_COUNT(
        notices, PINSIGHT_NOTICE_MISSING, cuda->unanswered,
        "Of %s CUDA call%s there is no record of work on a device: there was no work, or "
        "records were not handed over before the end, or were lost.",
        cuda->unanswered == 1 ? "" : "s");
    PINSIGHT_NOTICE_COUNT(
        notices, PINSIGHT_NOTICE_MISSING, cuda->without_call,
        "Of %s record%s of devices' work the call is not in the trace: what Python "
        "caused it is not known.",
        cuda->without_call == 1 ? "" : "s");
    PINSIGHT_NOTICE_COUNTED(notices, PINSIGHT_NOTICE_ALWAYS, cuda->unclear, "CUDA call was",
                            "CUDA calls were",
                            "made for a backward pass while several threads waited for one: which "
                            "Python caused %s is not known.",
                            cuda->unclear == 1 ? "it" : "them");
    PINSIGHT_NOTICE_COUNT(notices, PINSIGHT_NOTICE_WRONG, cuda->dropped,
                          "CUPTI had no room for %s record%s of devices' work, which %s missing.",
                          cuda->dropped == 1 ? "" : "s", cuda->dropped == 1 ? "is" : "are");
    if (cuda->taken_over)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "The program's own profiler took CUPTI over%s: from there on, CUDA is not "
                        "recorded in that process.",
                        cuda->taken_over > 1 ? ", in several processes" : "");
    if (cuda->kept_back)
        pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                        "%s ended before CUPTI had handed over all records of devices' work.",
                        cuda->kept_back > 1 ? "Processes" : "A process");
    notice_clock(notices, cuda);
    PINSIGHT_NOTICE_COUNTED(notices, PINSIGHT_NOTICE_WRONG, cuda->without_times,
                            "record of devices' work has", "records of devices' work have",
                            "no possible times, and %s left out.",
                            cuda->without_times == 1 ? "is" : "are");
    PINSIGHT_NOTICE_COUNT(notices, PINSIGHT_NOTICE_ALWAYS, cuda->shortened,
                          "%s %s earlier work in the stream, or the call: the begin is later here, "
                          "by %s in all.",
                          cuda->shortened == 1 ? "piece of devices' work overlaps"
                                               : "pieces of devices' work overlap",
                          pinsight_units_time(cuda->shortened_ns).text);
}

/* Adds the bytes that devices copied for calls. Without records of devices, the arguments of the
 * calls count. */
static void add_attribution(struct pinsight_attribution_maker *maker,
                            const struct pinsight_report *report,
                            const struct pinsight_attribution_walk *walk) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    uint64_t sent = 0, received = 0;
    struct pinsight_attribution_work rest = {0};

    (void)walk;
    for (size_t i = 0; cuda && i < cuda->site_count; i++) {
        const struct pinsight_cuda_site *site = &cuda->sites[i];
        pinsight_attribution_count(maker, READER_CUDA, &site->counted);
        const uint64_t *bytes = site->works ? site->recorded : site->bytes;
        struct pinsight_attribution_work work = {.sent_bytes = bytes[PINSIGHT_CUDA_TO_DEVICE],
                                                 .received_bytes =
                                                     bytes[PINSIGHT_CUDA_FROM_DEVICE]};

        if (work.sent_bytes || work.received_bytes)
            pinsight_attribution_add(maker, site->path, site->forward, READER_CUDA, &work);
        sent += site->recorded[PINSIGHT_CUDA_TO_DEVICE];
        received += site->recorded[PINSIGHT_CUDA_FROM_DEVICE];
    }
    for (size_t i = 0; cuda && i < cuda->stream_count; i++) {
        rest.sent_bytes += cuda->streams[i]->bytes[PINSIGHT_CUDA_TO_DEVICE];
        rest.received_bytes += cuda->streams[i]->bytes[PINSIGHT_CUDA_FROM_DEVICE];
    }
    rest.sent_bytes -= sent;
    rest.received_bytes -= received;
    pinsight_attribution_add(maker, PINSIGHT_NONE, PINSIGHT_NONE, READER_CUDA, &rest);
}

const struct view_domain view_domain_cuda = {
    .slices = {[PINSIGHT_SLICE_DEVICE_CALL] = &call, [PINSIGHT_SLICE_WORK] = &work},
    .bar = {"CUDA", "╳", "*", PINSIGHT_DEVICE},
    .bar_waiting = {"CUDA waiting", "╲", "@", PINSIGHT_DIM},
    .on_devices = true,
    .seen = pinsight_cuda_seen,
    .lines = pinsight_cuda_lines,
    .head = pinsight_cuda_device_lines,
    .rules = pinsight_cuda_rules,
    .sections = pinsight_cuda_sections,
    .brief = pinsight_section_cuda_brief,
    .json = pinsight_cuda_json,
    .notice = notice_missing,
    .attribution = add_attribution,
    .follower = &pinsight_idle_follower,
};
