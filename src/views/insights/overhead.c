/* Finds a run in which PInsight's own cost makes times doubtful. Small functions have most of the
 * cost. */
#include "base/run_info.h"
#include "base/units.h"
#include "views/insights/insights.h"
#include "views/report/cost.h"

#include <string.h>

/* See docs/insights.md. */
#define LEAST_SHARE 0.25
#define LEAST_NS 100000000

/* Returns whether C calls, which cause most callbacks, were observed. */
static bool has_c_calls(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t d = 0; d < model->processes[i]->domain_count; d++)
            if (strstr(pinsight_report_string(report, model->processes[i]->domains[d].events),
                       "c_call"))
                return true;
    return false;
}

void pinsight_rule_overhead(const struct pinsight_report *report,
                            struct pinsight_insights *insights) {
    const struct pinsight_run_info *run = report->options.run;
    const uint64_t ns = pinsight_cost_ns(report);
    const uint64_t all =
        run && run->processor_ns ? run->processor_ns : pinsight_insights_running(report);

    if (ns < LEAST_NS || (double)ns < LEAST_SHARE * (double)all)
        return;
    pinsight_insights_add(
        insights, (struct pinsight_insight){.rule = "overhead", .ns = ns, .of_ns = all},
        "looking cost about %s of %s of processor time, so small functions look larger than they "
        "are: %sa module_filter in the configuration costs less",
        pinsight_units_time(ns).text, pinsight_units_time(all).text,
        has_c_calls(report) ? "--events function or " : "");
}
