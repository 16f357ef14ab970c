/* Finds a module of the user's whose own code takes long when it is imported. */
#include "base/text.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <string.h>

/* See docs/insights.md. */
#define LEAST_SHARE 0.1
#define LEAST_NS 150000000
/* A module takes at least this share of another's time if it is the cause of that time. */
#define SAME_SHARE 0.9

static const char *text_of(const struct pinsight_report *report, uint32_t string) {
    return pinsight_report_string(report, string);
}

static uint64_t total_of(const struct pinsight_function *function) {
    return function->stats.total_ns + function->counted.total_ns;
}

/* Returns the module that takes longest, or the innermost one that takes nearly as long, because
 * a package's time contains that of its modules. Returns NULL if there is none. */
static const struct pinsight_function *longest(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_function *most = NULL;
    uint64_t most_ns = 0;

    for (uint32_t i = 0; i < model->function_count; i++)
        if (pinsight_function_is_users_module(model, i) && total_of(&model->functions[i]) > most_ns)
            most_ns = total_of(&model->functions[i]);
    for (uint32_t i = 0; i < model->function_count; i++)
        if (pinsight_function_is_users_module(model, i) &&
            (double)total_of(&model->functions[i]) >= SAME_SHARE * (double)most_ns &&
            (!most || total_of(&model->functions[i]) < total_of(most)))
            most = &model->functions[i];
    return most;
}

void pinsight_rule_own_imports(const struct pinsight_report *report,
                               struct pinsight_insights *insights) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_function *module = longest(report);
    const struct pinsight_attribution_import *libraries = &view->all_imports;
    const uint64_t ns = module ? total_of(module) : 0;
    /* The time of libraries may be within it. The rule `imports` reports them. */
    const uint64_t own_ns =
        pinsight_time_rest(ns, pinsight_attribution_import_ns(libraries) + libraries->counted_ns);
    const uint64_t whole = report->whole_ns;

    if (own_ns < LEAST_NS || 2 * own_ns < ns || (double)own_ns < LEAST_SHARE * (double)whole)
        return;
    struct pinsight_insight insight = {.rule = "own_imports",
                                       .file = text_of(report, module->file),
                                       .line = module->line,
                                       .ns = ns,
                                       .of_ns = whole,
                                       .within_ns = whole,
                                       .option = "imports"};

    pinsight_insights_add(insights, insight, "importing your module %s (%s) takes %s of %s",
                          text_of(report, module->module), pinsight_text_file(insight.file),
                          pinsight_units_time(ns).text, pinsight_units_time(whole).text);
}
