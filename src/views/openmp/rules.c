/* The rule for an insight on OpenMP: a team that waits for its busiest thread. */
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "views/insights/insights.h"
#include "views/openmp/openmp.h"
#include "views/report/attribution.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_SHARE 0.1     /* of all time, a thread of the team waits on average */
#define LEAST_IMBALANCE 1.2 /* longest work over the mean */

/* Returns the mean time that a thread of the team waits for the last one. */
static uint64_t mean_wait(const struct pinsight_omp_row *row) {
    return row->sums.threads ? row->sums.imbalance_ns / row->sums.threads : 0;
}

static const struct pinsight_omp_row *worst_of(const struct pinsight_omp_view *view) {
    const struct pinsight_omp_row *worst = NULL;

    for (size_t i = 0; i < view->place_count; i++)
        if (pinsight_omp_imbalance(&view->places[i].sums) >= LEAST_IMBALANCE &&
            (!worst || mean_wait(&view->places[i]) > mean_wait(worst)))
            worst = &view->places[i];
    return worst;
}

/* Finds the worst region. Without a line of Python, the insight has its native place. */
static void rule_imbalance(const struct pinsight_report *report,
                           struct pinsight_insights *insights) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_omp_row *row = report->openmp ? worst_of(report->openmp) : NULL;
    const struct pinsight_attribution_work *all = &report->attribution->all[READER_OPENMP];
    const struct pinsight_path *path;
    struct pinsight_insight insight = {.rule = "imbalance", .option = "openmp"};
    char *place, *native;

    if (!row || (double)mean_wait(row) < LEAST_SHARE * (double)pinsight_insights_whole(report))
        return;
    /* A thread without a processor is late, too, and its work then explains nothing. */
    if (all->wall_ready_ns > mean_wait(row))
        return;
    path = row->users == PINSIGHT_NONE ? NULL : &model->paths[row->users];
    if (path && path->function != PINSIGHT_NONE) {
        insight.file = pinsight_report_string(report, model->functions[path->function].file);
        insight.line = path->line;
    } else if (row->source) {
        insight.file = row->source;
        insight.line = row->source_line;
    }
    insight.ns = mean_wait(row);
    insight.within_ns = row->sums.work_ns + row->sums.imbalance_ns;
    place = insight.file ? pinsight_insights_place(insight.file, insight.line) : NULL;
    native = row->name ? pinsight_strdup(row->name) : pinsight_strdup("a region");
    pinsight_insights_add(
        insights, insight,
        "%s%sthe %u threads of %s wait %s of %s for the one that has most to do (%.1f times the "
        "mean)",
        place ? place : "", place ? ": " : "", row->sums.threads, native,
        pinsight_units_time(row->sums.imbalance_ns).text,
        pinsight_units_time(insight.within_ns).text, pinsight_omp_imbalance(&row->sums));
    PINSIGHT_FREE(place, native);
}

pinsight_insight_rule *const pinsight_omp_rules[] = {rule_imbalance, NULL};
