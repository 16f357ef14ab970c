/* Views of OpenMP. */
#include "views/domain.h"

#include "base/memory.h"
#include "base/run_info.h"
#include "base/units.h"
#include "reader/kit/native.h"
#include "reader/openmp/openmp.h"
#include "views/attribution_walk.h"
#include "views/openmp/openmp.h"
#include "views/report/head.h"
#include "views/report/not_recorded_notices.h"

#include <string.h>

/* Names a region, such as "parallel in dgemm_kernel" or "parallel in libopenblas.so.0+0x4010". */
static void text_of_region(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                           struct pinsight_slice_text *text) {
    static const char *const kinds[] = {"parallel", "teams", "target"};
    const struct pinsight_omp_region *sums;

    text->name = "parallel";
    if (slice->id == PINSIGHT_NONE)
        return;
    sums = &pinsight_model_openmp(texts->model)->regions[slice->id];
    text->name = kinds[sums->kind % 3];
    if (sums->native != PINSIGHT_NONE)
        text->name = pinsight_slice_texts_place(texts, slice->id, text->name, sums->native);
}

/* All regions of one native place are one thing, whichever Python code started them. */
static uint32_t place_of(const struct pinsight_model *model, const struct pinsight_slice *slice) {
    (void)model;
    return slice->native;
}

static void details_of_part(const struct pinsight_slice *slice,
                            const struct pinsight_slice_details *details) {
    (void)slice;
    /* The region itself has the same name. */
    pinsight_detail(details, "part", PINSIGHT_DETAIL_FLAG, 1);
}

static void text_of_wait(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text) {
    static const char *const names[] = {"wait: implicit barrier", "wait: barrier", "wait: taskwait",
                                        "wait: taskgroup",        "wait: lock",    "wait: critical",
                                        "wait: atomic",           "wait: ordered"};

    (void)texts;
    text->name = slice->id < sizeof(names) / sizeof(names[0]) ? names[slice->id] : "wait";
}

static const struct slice_view region = {
    .category = "openmp", .word = "OpenMP", .text = text_of_region, .runs = place_of};
static const struct slice_view part = {.category = "openmp",
                                       .word = "OpenMP",
                                       .prefix = "part: ",
                                       .text = text_of_region,
                                       .details = details_of_part,
                                       .runs = place_of};
static const struct slice_view task = {.category = "openmp", .word = "OpenMP", .name = "task"};
static const struct slice_view wait = {.category = "wait", .word = "OpenMP", .text = text_of_wait};

/* Writes a line such as "OpenMP 248 ms in 42 regions; all threads 495 ms, of it 121 ms waiting
 * (24.4 %)". */
static void print_lines(const struct pinsight_report *report, FILE *out, bool few) {
    const struct pinsight_attribution_work *work = &report->attribution->all[READER_OPENMP];
    const struct pinsight_monitored *counted = &report->attribution->counted[READER_OPENMP];

    (void)few;
    if (!work->calls && counted->calls)
        pinsight_head_line(report, out, "OpenMP %s in %s region%s that were counted (MONITORING)",
                           pinsight_units_time(counted->total_ns).text,
                           pinsight_units_count(counted->calls).text,
                           counted->calls == 1 ? "" : "s");
    if (!work->calls)
        return;
    pinsight_head_line(report, out,
                       "OpenMP %s in %s region%s" PINSIGHT_HEAD_PART
                       "; all threads %s, of it %s waiting" PINSIGHT_HEAD_PART " (%s %%)",
                       pinsight_units_time(work->wall_ns).text,
                       pinsight_units_count(work->calls).text, work->calls == 1 ? "" : "s",
                       pinsight_units_time(work->thread_ns).text,
                       pinsight_units_time(work->waiting_ns).text,
                       pinsight_units_percent(work->waiting_ns, work->thread_ns).text);
}

/* Adds notices of OpenMP that may have been missed, from the search of `pinsight run` before the
 * start, and from the processes. */
static void notice_missing(struct pinsight_notices *notices, const struct pinsight_report *report) {
    const struct pinsight_run_info *run = report->options.run;
    bool asked;

    if (!run || !run->openmp[0])
        return;
    asked = !strcmp(run->openmp, "asked");
    if (run->openmp_tool[0])
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS, "%s", run->openmp_tool);
    if (run->openmp_newer[0])
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS, "%s", run->openmp_newer);
    if (!pinsight_omp_seen(report) && run->openmp_unseen[0] && !run->openmp_tool[0])
        /* A Python package has OpenMP, but the program may never use it. The start of the command
         * already showed the notice. */
        pinsight_notice(
            notices, report->python_ns && !asked ? PINSIGHT_NOTICE_DETAIL : PINSIGHT_NOTICE_ALWAYS,
            "%s", run->openmp_unseen);
}

static int64_t thread_number(const struct pinsight_thread *thread) {
    const struct pinsight_omp_thread *own = pinsight_thread_openmp(thread);

    return own ? (int64_t)own->number : -1;
}

static void add_attribution(struct pinsight_attribution_maker *maker,
                            const struct pinsight_report *report,
                            const struct pinsight_attribution_walk *walk) {
    (void)walk;
    for (size_t i = 0; i < report->openmp->place_count; i++)
        pinsight_attribution_count(maker, READER_OPENMP, &report->openmp->places[i].counted);
}

const struct view_domain view_domain_openmp = {
    .sections = pinsight_omp_sections,
    .slices = {[PINSIGHT_SLICE_REGION] = &region,
               [PINSIGHT_SLICE_PART] = &part,
               [PINSIGHT_SLICE_TASK] = &task,
               [PINSIGHT_SLICE_WAIT] = &wait},
    .bar = {"OpenMP work", "▓", "=", PINSIGHT_OPENMP},
    .bar_waiting = {"OpenMP waiting", "▒", "-", PINSIGHT_OPENMP_WAIT},
    .thread_number = thread_number,
    .seen = pinsight_omp_seen,
    .lines = print_lines,
    .brief = pinsight_section_openmp_brief,
    .json = pinsight_omp_json,
    .rules = pinsight_omp_rules,
    .notice = notice_missing,
    .attribution = add_attribution,
};
