/*
 * A rule for insights: NumPy copies an operand that BLAS cannot read in its place, in each call. An
 * operand without neighbouring elements in its rows or its columns is such a one, and one of
 * another type. A transposed operand is none, because BLAS reads it in its place.
 *
 * The copy itself is not recorded. A product does little else outside of BLAS, so the rule compares
 * the time of the C callable with that of BLAS within it.
 */
#include "base/units.h"
#include "views/blas/blas.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <stdlib.h>
#include <string.h>

/* See docs/insights.md. */
#define LEAST_PART 0.2    /* of the callable's time */
#define LEAST_EACH 100000 /* ns of a call; without a copy it takes some microseconds */
#define LEAST_SHARE 0.01

/* Returns whether a callable computes a product with BLAS, and nothing else. */
static bool is_product(const char *callee) {
    static const char *const names[] = {"matmul", "dot", "vdot", "inner", "__matmul__"};
    const char *name = strrchr(callee, '.');

    for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(name + 1, names[i]))
            return true;
    return false;
}

/* Returns the time in ns that a callable runs outside of BLAS. */
static uint64_t rest_of(const struct pinsight_attribution_call *call) {
    const uint64_t own = pinsight_time_rest(call->ns, call->native_ns);

    return pinsight_time_rest(own, pinsight_time_rest(call->away_ns, call->native_away_ns));
}

/* Returns the time in ns that a callable runs. On a busy machine, it has no processor for much of
 * the rest. */
static uint64_t running_of(const struct pinsight_attribution_call *call) {
    return pinsight_time_rest(call->ns, call->away_ns);
}

static bool is_copying(const struct pinsight_attribution_call *call) {
    return call->kind == PINSIGHT_C_CALL && call->calls && call->native_ns && call->line &&
           is_product(call->callee) && rest_of(call) >= LEAST_EACH * call->calls &&
           (double)rest_of(call) >= LEAST_PART * (double)running_of(call);
}

/* Finds the products of a line that take most of its time in BLAS. Returns false without. */
static bool find_products(const struct pinsight_report *report, const char *file, int32_t line,
                          struct pinsight_blas_row *found) {
    size_t count;
    struct pinsight_blas_row *rows = pinsight_blas_outer_lines(report, &count);
    bool is_found = false;

    for (size_t i = 0; i < count && !is_found; i++)
        if (rows[i].place.file && rows[i].place.line == line && !strcmp(rows[i].place.file, file) &&
            rows[i].most_size != PINSIGHT_NONE) {
            *found = rows[i];
            is_found = true;
        }
    free(rows);
    return is_found;
}

void pinsight_blas_rule_copies(const struct pinsight_report *report,
                               struct pinsight_insights *insights) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);
    const struct reader_calls *calls = reader_calls_of(report->model, READER_BLAS);
    const struct pinsight_attribution_call *most = NULL;
    struct pinsight_blas_row row;

    for (size_t i = 0; blas && i < view->call_count; i++)
        if (view->functions[view->calls[i].function].users && is_copying(&view->calls[i]) &&
            (!most || rest_of(&view->calls[i]) > rest_of(most)))
            most = &view->calls[i];
    if (!most || (double)rest_of(most) < LEAST_SHARE * (double)pinsight_insights_whole(report))
        return;
    const char *file = view->functions[most->function].file;
    if (!find_products(report, file, most->line, &row))
        return;
    char *place = pinsight_insights_place(file, most->line);
    char *size = pinsight_blas_size_text(&blas->sizes[row.most_size]);
    pinsight_insights_add(
        insights,
        (struct pinsight_insight){.rule = "copied_operands",
                                  .file = file,
                                  .line = most->line,
                                  .ns = rest_of(most),
                                  .within_ns = running_of(most),
                                  .option = "blas"},
        "%s spends %.0f %% of its %s in %s outside of BLAS (%s, %s): operands that are strided, or "
        "of another type, are copied in each call; numpy.ascontiguousarray copies once",
        place, 100.0 * (double)rest_of(most) / (double)running_of(most),
        pinsight_units_time(running_of(most)).text, most->callee,
        pinsight_report_string(report, calls->functions[row.function].name), size);
    free(place);
    free(size);
}
