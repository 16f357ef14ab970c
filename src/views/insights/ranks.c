/* A rank that the others wait for: it computes for longer, in the function in which the difference
 * is largest. Ranks are compared by the time that they run, because on a busy machine the time that
 * passes is not their own. */
#include "base/memory.h"
#include "base/units.h"
#include "views/domain.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"
#include "views/report/process_name.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_EXCESS 0.2 /* of what the rank runs itself */
#define LEAST_SHARE 0.05 /* of all time, that the others may wait */

/* Running times of the ranks, in one function or in all. */
struct ranks {
    uint64_t *ns;
    size_t count;
};

/* What the one with most has more than the mean of the others; *which is it. */
static uint64_t excess(const struct ranks *ranks, size_t *which) {
    uint64_t all = 0, others;

    *which = 0;
    for (size_t i = 0; i < ranks->count; i++) {
        all += ranks->ns[i];
        if (ranks->ns[i] > ranks->ns[*which])
            *which = i;
    }
    others = (all - ranks->ns[*which]) / (ranks->count - 1);
    return ranks->ns[*which] - others;
}

static void add_function(const struct pinsight_report *report, const size_t *rank_of,
                         uint32_t function, struct ranks *ranks) {
    const struct pinsight_attribution_view *view = report->attribution;

    for (size_t i = 0; i < ranks->count; i++)
        ranks->ns[i] = 0;
    for (size_t i = 0; i < view->part_count; i++) {
        size_t rank = rank_of[view->parts[i].process->index];

        if (rank != SIZE_MAX && (function == PINSIGHT_NONE || view->parts[i].function == function))
            ranks->ns[rank] += view->parts[i].running_ns;
    }
}

static void add_insight(const struct pinsight_report *report, struct pinsight_insights *insights,
                        const struct ranks *ranks, size_t rank, uint32_t function,
                        const struct pinsight_process *process) {
    const struct pinsight_attribution_function *row = &report->attribution->functions[function];
    uint64_t least = UINT64_MAX, most = 0, sum = 0;
    char *place = pinsight_insights_place(row->file, row->line);
    char *name = view_process_name(process);

    for (size_t i = 0; i < ranks->count; i++) {
        if (i == rank)
            continue;
        least = pinsight_least(least, ranks->ns[i]);
        most = ranks->ns[i] > most ? ranks->ns[i] : most;
        sum += ranks->ns[i];
    }
    /* All others may wait for it. */
    pinsight_insights_add(
        insights,
        (struct pinsight_insight){.rule = "slow_rank",
                                  .file = row->file,
                                  .line = row->line,
                                  .ns = ranks->ns[rank] * (ranks->count - 1) - sum,
                                  .option = "mpi"},
        "%s computes %s in %s %s, the other%s %s%s%s", name,
        pinsight_units_time(ranks->ns[rank]).text, row->name ? row->name : "?", place,
        ranks->count == 2 ? "" : "s", pinsight_units_time(least).text,
        ranks->count == 2 ? "" : " to ", ranks->count == 2 ? "" : pinsight_units_time(most).text);
    PINSIGHT_FREE(place, name);
}

/* The function in which a rank has most more than the others; PINSIGHT_NONE where there is none. */
static uint32_t culprit_of(const struct pinsight_report *report, const size_t *rank_of,
                           struct ranks *ranks, size_t rank) {
    uint64_t largest = 0;
    uint32_t culprit = PINSIGHT_NONE;

    for (size_t f = 0; f < report->attribution->function_count; f++) {
        size_t which;
        uint64_t more;

        if (!report->attribution->functions[f].users)
            continue;
        add_function(report, rank_of, (uint32_t)f, ranks);
        more = excess(ranks, &which);
        if (which == rank && more > largest) {
            largest = more;
            culprit = (uint32_t)f;
        }
    }
    return culprit;
}

void pinsight_rule_ranks(const struct pinsight_report *report, struct pinsight_insights *insights) {
    const struct pinsight_model *model = report->model;
    size_t *rank_of = pinsight_calloc(model->process_count + 1, sizeof(*rank_of));
    const struct pinsight_process **processes =
        pinsight_calloc(model->process_count + 1, sizeof(*processes));
    struct ranks ranks = {0};
    size_t rank;

    for (size_t i = 0; i < model->process_count; i++) {
        rank_of[i] = SIZE_MAX;
        if (!model->processes[i]->selected || view_process_rank(model->processes[i]) < 0)
            continue;
        processes[ranks.count] = model->processes[i];
        rank_of[i] = ranks.count++;
    }
    ranks.ns = pinsight_calloc(ranks.count + 1, sizeof(*ranks.ns));
    if (ranks.count > 1) {
        add_function(report, rank_of, PINSIGHT_NONE, &ranks);
        uint64_t more = excess(&ranks, &rank);
        /* All others may wait for it. */
        double waited = (double)more * (double)(ranks.count - 1);
        uint32_t culprit = waited >= LEAST_SHARE * (double)pinsight_insights_whole(report) &&
                                   (double)more >= LEAST_EXCESS * (double)ranks.ns[rank]
                               ? culprit_of(report, rank_of, &ranks, rank)
                               : PINSIGHT_NONE;

        if (culprit != PINSIGHT_NONE) {
            add_function(report, rank_of, culprit, &ranks);
            add_insight(report, insights, &ranks, rank, culprit, processes[rank]);
        }
    }
    PINSIGHT_FREE(rank_of, processes, ranks.ns);
}
