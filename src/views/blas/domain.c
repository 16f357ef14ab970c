/* BLAS to views. */
#include "views/blas/blas.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/report/attribution.h"
#include "views/report/calls.h"
#include "views/report/head.h"

#include <stdlib.h>

static void details_of(const struct pinsight_slice *slice,
                       const struct pinsight_slice_details *details) {
    const struct pinsight_blas *blas = pinsight_model_blas(details->model);
    const struct pinsight_blas_size *size = pinsight_blas_size_of(details->model, slice);
    const struct pinsight_blas_how *how = pinsight_blas_how_of(details->model, slice);

    if (!size)
        return;
    pinsight_detail(details, "m", PINSIGHT_DETAIL_SIZE, size->m);
    if (size->n)
        pinsight_detail(details, "n", PINSIGHT_DETAIL_SIZE, size->n);
    if (size->k)
        pinsight_detail(details, "k", PINSIGHT_DETAIL_SIZE, size->k);
    if (size->batch != 1)
        pinsight_detail(details, "batch", PINSIGHT_DETAIL_SIZE, size->batch);
    if (how->threads)
        pinsight_detail(details, "threads", PINSIGHT_DETAIL_SIZE, how->threads);
    if (how->library != PINSIGHT_NONE)
        pinsight_detail_text(
            details, "library",
            pinsight_strings_text(&details->model->strings, blas->libraries[how->library].path));
}

static const struct slice_view call = {.category = "blas",
                                       .word = "BLAS",
                                       .text = view_calls_text,
                                       .details = details_of,
                                       .runs = view_calls_runs};

static double operations_of(const struct pinsight_report *report) {
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);
    double operations = 0;

    for (size_t i = 0; blas && i < blas->sum_count; i++)
        operations += blas->sums[i].is_nested ? 0 : blas->sums[i].operations;
    return operations;
}

/* The most lines of the user's that a summary names, and the least share of the time of BLAS. */
enum { MOST_LINES = 3, LEAST_PERCENT = 5 };

/* Returns ": dgesv implicit.py:44 1.05 s · dgemm implicit.py:37 240 ms", or NULL without such
 * lines. The caller frees it. */
static char *lines_text(const struct pinsight_report *report, size_t most) {
    const uint64_t all = report->attribution->all[READER_BLAS].thread_ns;
    const struct reader_calls *calls = reader_calls_of(report->model, READER_BLAS);
    char *text = NULL;
    size_t count, shown = 0;
    struct pinsight_blas_row *rows = pinsight_blas_outer_lines(report, &count);

    for (size_t i = 0; i < count && shown < most; i++) {
        struct pinsight_value where = python_call_place_where(&rows[i].place);
        if (!where.none && rows[i].total_ns * 100 >= all * LEAST_PERCENT)
            pinsight_append(&text, "%s %s %s %s", shown++ ? " ·" : ":",
                            pinsight_report_string(report, calls->functions[rows[i].function].name),
                            where.owned ?: where.text, pinsight_units_time(rows[i].total_ns).text);
        free(where.owned);
    }
    free(rows);
    return text;
}

/* "BLAS 248 ms in 42 calls, 31.2 GFLOP/s: dgemm app.py:3 240 ms; 1,000 more were counted, 220 µs"
 */
static void print_lines(const struct pinsight_report *report, FILE *out, bool few) {
    const struct pinsight_attribution_work *work = &report->attribution->all[READER_BLAS];
    const struct pinsight_monitored *counted = &report->attribution->counted[READER_BLAS];
    char more[96] = "", *lines;

    if (!pinsight_blas_matters(report))
        return;
    if (!work->calls) {
        view_calls_lines(READER_BLAS, report, out);
        return;
    }
    if (counted->calls && !few)
        snprintf(more, sizeof(more), "; %s more %s counted, %s",
                 pinsight_units_count(counted->calls).text, counted->calls == 1 ? "was" : "were",
                 pinsight_units_time(counted->total_ns).text);
    lines = lines_text(report, few ? 1 : MOST_LINES);
    pinsight_head_line(report, out, "BLAS %s in %s call%s, %.1f GFLOP/s%s%s",
                       pinsight_units_time(work->thread_ns).text,
                       pinsight_units_count(work->calls).text, work->calls == 1 ? "" : "s",
                       operations_of(report) / (double)(work->thread_ns ?: 1), lines ?: "", more);
    free(lines);
}

static void add_attribution(struct pinsight_attribution_maker *maker,
                            const struct pinsight_report *report,
                            const struct pinsight_attribution_walk *walk) {
    (void)walk;
    view_calls_attribution(READER_BLAS, maker, report);
}

const struct view_domain view_domain_blas = {
    .slices = {[PINSIGHT_SLICE_CALL + READER_BLAS] = &call},
    .bar = {"BLAS", "▚", "$", PINSIGHT_DEVICE},
    .seen = pinsight_blas_seen,
    .lines = print_lines,
    .sections = pinsight_blas_sections,
    .rules = pinsight_blas_rules,
    .brief = pinsight_blas_brief,
    .json = pinsight_blas_json,
    .notice = pinsight_blas_notice,
    .attribution = add_attribution,
};
