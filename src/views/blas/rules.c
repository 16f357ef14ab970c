/* Rules for insights on BLAS: many small products, work on one thread, repeated factorisations. */
#include "base/memory.h"
#include "base/run_info.h"
#include "base/units.h"
#include "views/blas/blas.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* See docs/insights.md. */
#define LEAST_PRODUCTS 1000
#define MOST_OPERATIONS (2.0 * 64 * 64 * 64) /* of a small product, on average */
#define LEAST_PRODUCTS_SHARE 0.05
#define LEAST_ONE_THREAD_NS 100000000
#define LEAST_ONE_THREAD_MEAN_NS 1000000
#define LEAST_ONE_THREAD_SHARE 0.1
#define LEAST_FACTORS 10
#define LEAST_FACTORED 100 /* rows of the matrix */
#define LEAST_FACTORS_SHARE 0.1

typedef bool condition(const struct pinsight_report *report, const struct pinsight_blas_row *row);

static const char *name_of(const struct pinsight_report *report,
                           const struct pinsight_blas_row *row) {
    const struct reader_calls *calls = reader_calls_of(report->model, READER_BLAS);

    return pinsight_report_string(report, calls->functions[row->function].name);
}

static const struct pinsight_blas_size *size_of(const struct pinsight_report *report,
                                                const struct pinsight_blas_row *row) {
    return &pinsight_model_blas(report->model)->sizes[row->most_size];
}

/* Returns whether the routine's name, without its type, is among the names. */
static bool is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (*name && !strcmp(name + 1, *names))
            return true;
    return false;
}

static bool is_small_product(const struct pinsight_report *report,
                             const struct pinsight_blas_row *row) {
    static const char *const products[] = {"gemm", "symm", "hemm", "syrk", "herk", "gemv", NULL};

    return row->calls >= LEAST_PRODUCTS && is_one_of(name_of(report, row), products) &&
           row->operations <= MOST_OPERATIONS * (double)row->calls;
}

/* BLAS 1 and 2 are limited by the memory, and gain little from threads. */
static bool is_on_one_thread(const struct pinsight_report *report,
                             const struct pinsight_blas_row *row) {
    return row->most_threads == 1 && row->total_ns >= LEAST_ONE_THREAD_NS &&
           row->total_ns / row->calls >= LEAST_ONE_THREAD_MEAN_NS &&
           row->level >= PINSIGHT_BLAS_LEVEL3 && report->options.run &&
           report->options.run->processors > 1;
}

static bool is_factored_again(const struct pinsight_report *report,
                              const struct pinsight_blas_row *row) {
    static const char *const routines[] = {"gesv",  "getrf", "posv",  "potrf", "sysv",
                                           "sytrf", "geqrf", "gelsd", NULL};

    return row->calls >= LEAST_FACTORS && row->sizes == 1 &&
           size_of(report, row)->m >= LEAST_FACTORED && is_one_of(name_of(report, row), routines);
}

/* Finds the line with the most time among those that fulfil the condition and have a known place.
 * Returns false if the time is too short a share of all time. */
static bool find(const struct pinsight_report *report, condition *fulfils, double least_share,
                 struct pinsight_blas_row *found) {
    size_t count;
    struct pinsight_blas_row *rows = pinsight_blas_outer_lines(report, &count);
    bool is_found = false;

    for (size_t i = 0; i < count && !is_found; i++) {
        const struct pinsight_blas_row *row = &rows[i];

        if (!row->calls || !row->place.file || row->most_size == PINSIGHT_NONE ||
            !fulfils(report, row))
            continue;
        *found = *row;
        is_found = true;
    }
    free(rows);
    return is_found &&
           (double)found->total_ns >= least_share * (double)pinsight_insights_whole(report);
}

static struct pinsight_insight insight_of(const char *rule, const struct pinsight_blas_row *row) {
    return (struct pinsight_insight){.rule = rule,
                                     .file = row->place.file,
                                     .line = row->place.line,
                                     .ns = row->total_ns,
                                     .option = "blas"};
}

static void rule_small_products(const struct pinsight_report *report,
                                struct pinsight_insights *insights) {
    struct pinsight_blas_row row;
    char *place, *size;

    if (!find(report, is_small_product, LEAST_PRODUCTS_SHARE, &row))
        return;
    place = pinsight_insights_place(row.place.file, row.place.line);
    size = pinsight_blas_size_text(size_of(report, &row));
    pinsight_insights_add(insights, insight_of("small_products", &row),
                          "%s makes %s small products (%s, %s%s): %s, %s each; numpy.matmul takes "
                          "a stack of matrices in one call",
                          place, pinsight_units_count(row.calls).text, name_of(report, &row),
                          row.sizes > 1 ? "most time for " : "", size,
                          pinsight_units_time(row.total_ns).text,
                          pinsight_units_time(row.total_ns / row.calls).text);
    PINSIGHT_FREE(place, size);
}

/* Returns whether one process called BLAS from one thread at a time. Programs with more threads or
 * processes of their own often want one thread for each call. */
static bool is_alone(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    return model->process_count == 1 && view_process_rank(model->processes[0]) < 0 &&
           report->attribution->all[READER_BLAS].thread_ns <=
               pinsight_time_rest(model->last_ns, model->first_ns);
}

static void rule_one_thread(const struct pinsight_report *report,
                            struct pinsight_insights *insights) {
    struct pinsight_blas_row row;
    char *place, *size;

    if (!is_alone(report) || !find(report, is_on_one_thread, LEAST_ONE_THREAD_SHARE, &row))
        return;
    place = pinsight_insights_place(row.place.file, row.place.line);
    size = pinsight_blas_size_text(size_of(report, &row));
    pinsight_insights_add(insights, insight_of("one_thread", &row),
                          "%s computes %s (%s) on one thread of %" PRIu64
                          " processors: %s in %s call%s",
                          place, name_of(report, &row), size, report->options.run->processors,
                          pinsight_units_time(row.total_ns).text,
                          pinsight_units_count(row.calls).text, row.calls == 1 ? "" : "s");
    PINSIGHT_FREE(place, size);
}

static void rule_same_factors(const struct pinsight_report *report,
                              struct pinsight_insights *insights) {
    struct pinsight_blas_row row;
    char *place;
    const struct pinsight_blas_size *size;

    if (!find(report, is_factored_again, LEAST_FACTORS_SHARE, &row))
        return;
    place = pinsight_insights_place(row.place.file, row.place.line);
    size = size_of(report, &row);
    pinsight_insights_add(insights, insight_of("same_factors", &row),
                          "%s factorises a matrix of %" PRIu64 "×%" PRIu64
                          " %s times (%s): %s; if it is the same one, its factors can be kept "
                          "(scipy.linalg.lu_factor)",
                          place, size->m, size->n, pinsight_units_count(row.calls).text,
                          name_of(report, &row), pinsight_units_time(row.total_ns).text);
    free(place);
}

pinsight_insight_rule *const pinsight_blas_rules[] = {
    rule_small_products, rule_one_thread, rule_same_factors, pinsight_blas_rule_copies, NULL};
