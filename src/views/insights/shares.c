/* What a run spends on other things than the user's code: imports, collections of garbage. */
#include "base/units.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_SHARE 0.1
#define LEAST_IMPORTS_NS 150000000

/* Of the time with imports. */
static uint64_t whole_of(const struct pinsight_report *report) {
    return pinsight_insights_whole(report) +
           pinsight_attribution_import_took(&report->attribution->all_imports);
}

static bool is_much(const struct pinsight_report *report, uint64_t ns) {
    return (double)ns >= LEAST_SHARE * (double)whole_of(report);
}

void pinsight_rule_imports(const struct pinsight_report *report,
                           struct pinsight_insights *insights) {
    const struct pinsight_attribution_view *view = report->attribution;
    const uint64_t ns = pinsight_attribution_import_took(&view->all_imports);
    const struct pinsight_attribution_import *most = view->imports;

    if (view->all_imports.counted_ns || ns < LEAST_IMPORTS_NS || !is_much(report, ns))
        return;
    struct pinsight_insight insight = {.rule = "imports",
                                       .file = most->file,
                                       .line = most->line,
                                       .ns = ns,
                                       .of_ns = whole_of(report),
                                       .option = "imports"};
    const char *package = most->package ? most->package : "what has no package";
    const uint64_t most_ns = pinsight_attribution_import_took(most);
    char *place = most->file ? pinsight_insights_place(most->file, most->line) : NULL;

    if (place && 2 * most_ns >= ns)
        pinsight_insights_add(insights, insight, "%s imports %s: %s of %s", place, package,
                              pinsight_units_time(most_ns).text,
                              pinsight_units_time(insight.of_ns).text);
    else
        pinsight_insights_add(
            insights, insight, "imports take %s, %s %% of all time: %s takes %s%s%s%s",
            pinsight_units_time(ns).text, pinsight_units_percent(ns, insight.of_ns).text, package,
            pinsight_units_time(most_ns).text, place ? " (" : "", place ? place : "",
            place ? ")" : "");
    free(place);
}

void pinsight_rule_garbage(const struct pinsight_report *report,
                           struct pinsight_insights *insights) {
    const uint64_t ns = report->attribution->gc_ns + report->attribution->counted_gc.self_ns;

    if (!is_much(report, ns))
        return;
    pinsight_insights_add(
        insights,
        (struct pinsight_insight){
            .rule = "garbage", .ns = ns, .of_ns = whole_of(report), .option = "gc"},
        "collections of garbage take %s, %s %% of all time", pinsight_units_time(ns).text,
        pinsight_units_percent(ns, whole_of(report)).text);
}
