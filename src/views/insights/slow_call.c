/* One call that takes far longer than all others of its like: an expression that takes exponential
 * time for one text, a request that misses a cache. It has to have run, not waited; and recursions
 * and generators are left out, because their calls are not alike. */
#include "base/memory.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "views/insights/insights.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_CALLS 100
#define USERS_LEAST_CALLS 1000
#define LEAST_NS 50000000
#define LEAST_SHARE 0.1   /* of all time */
#define LEAST_TIMES 100.0 /* the mean of the others */
#define RAN_SHARE 0.8     /* of the longest, the calls ran by themselves */

static double mean_of_others(const struct pinsight_stats *stats) {
    return (double)(stats->sum_ns - pinsight_least(stats->max_ns, stats->sum_ns)) /
           (double)(stats->slices - 1);
}

/* How long the longest call ran at least: all that the calls waited may have been in it. */
static uint64_t ran(const struct pinsight_stats *stats) {
    return pinsight_time_rest(stats->max_ns, stats->away_ns);
}

/* Whether one of the calls stands out among at least so many. */
static bool stands_out(const struct pinsight_report *report, const struct pinsight_stats *stats,
                       uint64_t least_calls) {
    const double most = (double)ran(stats);

    return stats->calls >= least_calls && stats->slices == stats->calls && ran(stats) >= LEAST_NS &&
           most >= LEAST_SHARE * (double)pinsight_insights_whole(report) &&
           most >= LEAST_TIMES * mean_of_others(stats) &&
           (double)pinsight_time_rest(stats->self_ns, stats->away_ns) >= RAN_SHARE * most &&
           stats->total_ns == stats->sum_ns;
}

static const struct pinsight_site *worst_site(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_site *worst = NULL;

    for (size_t i = 0; i < model->site_count; i++) {
        const struct pinsight_site *site = &model->sites[i];

        if ((!worst || site->stats.max_ns > worst->stats.max_ns) && site->caller != PINSIGHT_NONE &&
            pinsight_function_is_users(model, site->caller) &&
            stands_out(report, &site->stats, LEAST_CALLS))
            worst = site;
    }
    return worst;
}

static const struct pinsight_function *worst_function(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_function *worst = NULL;

    for (uint32_t i = 0; i < model->function_count; i++) {
        const struct pinsight_function *function = &model->functions[i];

        if ((!worst || function->stats.max_ns > worst->stats.max_ns) && function->known &&
            pinsight_function_is_users(model, i) &&
            stands_out(report, &function->stats, USERS_LEAST_CALLS))
            worst = function;
    }
    return worst;
}

void pinsight_rule_slow_call(const struct pinsight_report *report,
                             struct pinsight_insights *insights) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_site *site = worst_site(report);
    const struct pinsight_function *function = site ? NULL : worst_function(report);
    const struct pinsight_stats *stats;
    struct pinsight_insight insight = {.rule = "slow_call", .option = "lines"};
    const char *name;
    char *place;

    if (!site && !function)
        return;
    stats = site ? &site->stats : &function->stats;
    name = site ? pinsight_callee_name(model, site->callee)
                : pinsight_report_string(report, function->name);
    insight.file =
        pinsight_report_string(report, (site ? &model->functions[site->caller] : function)->file);
    insight.line = site ? site->line : function->line;
    insight.ns = ran(stats);
    place = pinsight_insights_place(insight.file, insight.line);
    pinsight_insights_add(
        insights, insight, "%s%sone of %s calls of %s%s%s took %s, the others %s each",
        site ? place : "", site ? ": " : "", pinsight_units_count(stats->calls).text, name,
        site ? "" : " ", site ? "" : place, pinsight_units_time(stats->max_ns).text,
        pinsight_units_time((uint64_t)mean_of_others(stats)).text);
    free(place);
}
