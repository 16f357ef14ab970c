/* Finds one call that takes far longer than all others of its kind, such as a request that misses a
 * cache. The call must have run, not waited. Recursions and generators are left out, because their
 * calls differ in kind. */
#include "base/memory.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "reader/waits.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_CALLS 100
#define USERS_LEAST_CALLS 1000
#define LEAST_NS 50000000
#define LEAST_SHARE 0.1   /* of all time */
#define LEAST_TIMES 100.0 /* times the mean of the others */
#define RAN_SHARE 0.8     /* of the longest call, the calls ran by themselves */
#define SURELY_NS 250000000

/* The calls of one kind. */
struct call_group {
    uint64_t calls, sum_ns, max_ns;
    uint64_t own_ns;  /* the most time that they ran by themselves */
    uint64_t away_ns; /* the most time that they waited */
    uint64_t of_ns;   /* time in which they may have waited; 0 if the waiting is known */
    uint64_t gc_ns;  /* the longest collection of garbage, which may have struck the longest call */
    bool is_uniform; /* neither a recursion nor a generator */
};

static uint64_t longest_collection(const struct pinsight_model *model) {
    uint64_t ns = 0;

    for (size_t i = 0; i < model->garbage_count; i++)
        ns = model->garbage[i].max_ns > ns ? model->garbage[i].max_ns : ns;
    return ns;
}

/* Returns the calls of one kind. Traced calls know their waiting time. For counted calls it is
 * unknown, and one call may have all the waiting of the threads. */
static struct call_group call_group_of(const struct pinsight_report *report,
                                       const struct pinsight_stats *stats,
                                       const struct pinsight_monitored *counted, uint64_t gc_ns) {
    if (!report->by_path)
        return (struct call_group){.calls = stats->calls,
                                   .sum_ns = stats->sum_ns,
                                   .max_ns = stats->max_ns,
                                   .own_ns = pinsight_time_rest(stats->self_ns, stats->away_ns),
                                   .away_ns = stats->away_ns,
                                   .gc_ns = gc_ns,
                                   .is_uniform = stats->slices == stats->calls &&
                                                 stats->total_ns == stats->sum_ns};
    return (struct call_group){.calls = counted->calls,
                               .sum_ns = counted->sum_ns,
                               .max_ns = counted->max_ns,
                               .own_ns = counted->self_ns,
                               .away_ns = pinsight_insights_unknown(report),
                               .gc_ns = gc_ns,
                               .of_ns = pinsight_attribution_worked_ns(report->attribution),
                               .is_uniform = counted->sum_ns / 100 * 99 <= counted->total_ns};
}

static double mean_of_others(const struct call_group *calls) {
    return (double)(calls->sum_ns - pinsight_least(calls->max_ns, calls->sum_ns)) /
           (double)(calls->calls - 1);
}

/* Returns the least time that the longest call ran. A very long call cannot have been interrupted
 * for most of its time. The waiting of such a call is in proportion to all waiting. */
static uint64_t ran(const struct call_group *calls) {
    const uint64_t most = pinsight_time_rest(calls->max_ns, calls->gc_ns);
    const uint64_t least = pinsight_time_rest(most, calls->away_ns);

    if (!calls->of_ns || most < SURELY_NS || most < calls->away_ns / 2)
        return least;
    return (uint64_t)((double)most * (1 - (double)pinsight_least(calls->away_ns, calls->of_ns) /
                                              (double)calls->of_ns));
}

/* Returns whether one call stands out among at least `least_calls`. */
static bool stands_out(const struct pinsight_report *report, const struct call_group *calls,
                       uint64_t least_calls) {
    const double most = (double)ran(calls);

    return calls->calls >= least_calls && calls->is_uniform && ran(calls) >= LEAST_NS &&
           most >= LEAST_SHARE * (double)pinsight_insights_whole(report) &&
           most >= LEAST_TIMES * mean_of_others(calls) && (double)calls->own_ns >= RAN_SHARE * most;
}

/* The call that was found, and the calls of its kind. */
struct slow_call {
    const struct pinsight_site *site; /* NULL for a function of the user's */
    const struct pinsight_function *function;
    struct call_group calls;
};

static struct slow_call worst_site(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    const uint64_t gc_ns = longest_collection(model);
    struct slow_call worst = {0};

    for (size_t i = 0; i < model->site_count; i++) {
        const struct pinsight_site *site = &model->sites[i];
        const struct call_group calls = call_group_of(report, &site->stats, &site->counted, gc_ns);

        if (calls.max_ns > worst.calls.max_ns && site->caller != PINSIGHT_NONE &&
            !(report->by_path &&
              pinsight_wait_of_name(pinsight_callee_name(model, site->callee))) &&
            pinsight_function_is_users(model, site->caller) &&
            stands_out(report, &calls, LEAST_CALLS))
            worst = (struct slow_call){site, &model->functions[site->caller], calls};
    }
    return worst;
}

static struct slow_call worst_function(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    const uint64_t gc_ns = longest_collection(model);
    struct slow_call worst = {0};

    for (uint32_t i = 0; i < model->function_count; i++) {
        const struct pinsight_function *function = &model->functions[i];
        const struct call_group calls =
            call_group_of(report, &function->stats, &function->counted, gc_ns);

        if (calls.max_ns > worst.calls.max_ns && function->known &&
            pinsight_function_is_users(model, i) && stands_out(report, &calls, USERS_LEAST_CALLS))
            worst = (struct slow_call){NULL, function, calls};
    }
    return worst;
}

void pinsight_rule_slow_call(const struct pinsight_report *report,
                             struct pinsight_insights *insights) {
    const struct pinsight_model *model = report->model;
    struct slow_call slow = worst_site(report);
    struct pinsight_insight insight = {.rule = "slow_call",
                                       .option = report->by_path ? "tree" : "lines"};
    const struct pinsight_site *site;
    const char *name;
    char *place;

    if (!slow.function)
        slow = worst_function(report);
    if (!slow.function)
        return;
    site = slow.site;
    name = site ? pinsight_callee_name(model, site->callee)
                : pinsight_report_string(report, slow.function->name);
    insight.file = pinsight_report_string(report, slow.function->file);
    insight.line = site ? site->line : slow.function->line;
    insight.ns = ran(&slow.calls);
    place = pinsight_insights_place(insight.file, insight.line);
    pinsight_insights_add(
        insights, insight, "%s%sone of %s calls of %s%s%s took %s, the others %s each",
        site ? place : "", site ? ": " : "", pinsight_units_count(slow.calls.calls).text, name,
        site ? "" : " ", site ? "" : place, pinsight_units_time(slow.calls.max_ns).text,
        pinsight_units_time((uint64_t)mean_of_others(&slow.calls)).text);
    free(place);
}
