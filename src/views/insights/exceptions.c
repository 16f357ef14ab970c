/* Finds calls that end with an exception again and again, such as a conversion that is tried on
 * each value. */
#include "base/memory.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <stdlib.h>
#include <string.h>

/* See docs/insights.md. */
#define LEAST_CALLS 1000
#define SURELY_CALLS 1000000 /* enough calls, however short they are */
#define LEAST_NS 20000000
#define LEAST_SHARE 0.1
#define MOST_MEAN_NS 100000 /* a longer call did other work first */

struct raising {
    const struct pinsight_stats *stats;
    const char *name, *file; /* of the callee; and of the line */
    int32_t line;
};

/* Returns the time of the calls that raised. All waiting of these calls is taken off, because it
 * may be in the raising ones. */
static uint64_t took(const struct pinsight_stats *stats) {
    return pinsight_time_rest(stats->raised_ns, stats->away_ns);
}

static bool is_many(const struct pinsight_report *report, const struct pinsight_stats *stats) {
    if (stats->raised < LEAST_CALLS || took(stats) / stats->raised > MOST_MEAN_NS)
        return false;
    return stats->raised >= SURELY_CALLS ||
           (took(stats) >= LEAST_NS &&
            (double)took(stats) >= LEAST_SHARE * (double)pinsight_insights_running(report));
}

static void take_most(struct raising *worst, struct raising other) {
    if (!worst->stats || took(other.stats) > took(worst->stats))
        *worst = other;
}

/* Looks at C callables that the user's lines call. */
static void look_at_sites(const struct pinsight_report *report, struct raising *worst) {
    const struct pinsight_model *model = report->model;

    for (size_t i = 0; i < model->site_count; i++) {
        const struct pinsight_site *site = &model->sites[i];

        if (site->caller == PINSIGHT_NONE || !is_many(report, &site->stats) ||
            !pinsight_function_is_users(model, site->caller))
            continue;
        take_most(worst, (struct raising){
                             &site->stats, pinsight_callee_name(model, site->callee),
                             pinsight_report_string(report, model->functions[site->caller].file),
                             site->line});
    }
}

/* Returns the user's line that calls a function most, or NULL. */
static const struct pinsight_attribution_call *caller_of(const struct pinsight_report *report,
                                                         const struct pinsight_function *function) {
    const struct pinsight_attribution_view *view = report->attribution;
    const char *name = pinsight_report_string(report, function->name);
    const char *file = pinsight_report_string(report, function->file);
    const struct pinsight_attribution_call *most = NULL;

    for (size_t i = 0; i < view->call_count; i++) {
        const struct pinsight_attribution_call *call = &view->calls[i];

        if (call->callee_file && call->callee_line == function->line && call->line &&
            view->functions[call->function].users && (!most || call->calls > most->calls) &&
            !strcmp(call->callee, name) && !strcmp(call->callee_file, file))
            most = call;
    }
    return most;
}

/* Looks at Python functions that the user's lines call. */
static void look_at_functions(const struct pinsight_report *report, struct raising *worst) {
    const struct pinsight_model *model = report->model;

    for (size_t i = 0; i < model->function_count; i++) {
        const struct pinsight_function *function = &model->functions[i];
        const struct pinsight_attribution_call *call;

        if (!function->known || !is_many(report, &function->stats))
            continue;
        call = caller_of(report, function);
        if (call)
            take_most(worst, (struct raising){
                                 &function->stats, pinsight_report_string(report, function->name),
                                 report->attribution->functions[call->function].file, call->line});
    }
}

void pinsight_rule_exceptions(const struct pinsight_report *report,
                              struct pinsight_insights *insights) {
    struct raising worst = {0};
    char *place;

    look_at_sites(report, &worst);
    look_at_functions(report, &worst);
    if (!worst.stats || pinsight_insights_reported(insights, worst.file, worst.line))
        return;
    place = pinsight_insights_place(worst.file, worst.line);
    pinsight_insights_add(insights,
                          (struct pinsight_insight){.rule = "exceptions",
                                                    .file = worst.file,
                                                    .line = worst.line,
                                                    .ns = took(worst.stats),
                                                    .option = "lines"},
                          "%s: %s of %s calls of %s raise an exception: %s, %s each", place,
                          pinsight_units_count(worst.stats->raised).text,
                          pinsight_units_count(worst.stats->calls).text, worst.name,
                          pinsight_units_time(took(worst.stats)).text,
                          pinsight_units_time(took(worst.stats) / worst.stats->raised).text);
    free(place);
}
