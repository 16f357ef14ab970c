/* The rule for an insight on MPI: a loop of small messages. The rank that others wait for is found
 * in insights/ranks.c, by its computing time. */
#include "base/units.h"
#include "views/insights/insights.h"
#include "views/mpi/mpi.h"
#include "views/report/attribution.h"

#include <stdlib.h>
#include <string.h>

/* See docs/insights.md. */
#define LEAST_MESSAGES 1000
#define MOST_BYTES 4096
#define LEAST_SHARE 0.05 /* of all time */

/* Returns how long the calls of a line run, with the work of Python's MPI binding. Waiting is left
 * out, because other ranks cause it. Without Python, it returns the time outside wait states. */
static uint64_t running_of(const struct pinsight_report *report,
                           const struct pinsight_mpi_row *row) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_mpi_place *at = &report->mpi->places[row->place];
    uint64_t ns = 0;

    if (!at->python)
        return row->sums.total_ns - pinsight_least(row->sums.wait_ns, row->sums.total_ns);
    for (size_t i = 0; i < view->call_count; i++) {
        const struct pinsight_attribution_call *call = &view->calls[i];

        if (call->line == at->line && call->native_ns &&
            !strcmp(view->functions[call->function].file, at->file))
            ns += call->ns - pinsight_least(call->away_ns, call->ns);
    }
    return ns;
}

/* Returns the line with the most time in functions that send a message in each call. */
static const struct pinsight_mpi_row *worst_of(const struct pinsight_report *report,
                                               uint64_t *most) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    const struct pinsight_mpi_row *worst = NULL;

    for (size_t i = 0; i < report->mpi->line_count; i++) {
        const struct pinsight_mpi_row *row = &report->mpi->lines[i];
        uint64_t ns;

        if (pinsight_mpi_is_collective(&mpi->functions[row->function]) ||
            row->sums.calls < LEAST_MESSAGES || !row->sums.sent_bytes ||
            row->sums.sent_bytes / row->sums.calls > MOST_BYTES)
            continue;
        ns = running_of(report, row);
        if (worst && ns <= *most)
            continue;
        worst = row;
        *most = ns;
    }
    return worst;
}

static void rule_messages(const struct pinsight_report *report,
                          struct pinsight_insights *insights) {
    uint64_t ns = 0;
    const struct pinsight_mpi_row *row =
        report->mpi && pinsight_model_mpi(report->model) ? worst_of(report, &ns) : NULL;
    const struct pinsight_mpi_place *at;
    char *place;

    if (!row || (double)ns < LEAST_SHARE * (double)pinsight_insights_whole(report))
        return;
    at = &report->mpi->places[row->place];
    place = pinsight_insights_place(at->file, at->line);
    pinsight_insights_add(insights,
                          (struct pinsight_insight){.rule = "small_messages",
                                                    .file = at->file[0] ? at->file : NULL,
                                                    .line = at->line,
                                                    .ns = ns,
                                                    .option = "mpi"},
                          "%s%s%s sends %s messages of %s by %s: %s", place, at->name ? " in " : "",
                          at->name ? at->name : "", pinsight_units_count(row->sums.calls).text,
                          pinsight_units_size(row->sums.sent_bytes / row->sums.calls).text,
                          row->name, pinsight_units_time(ns).text);
    free(place);
}

pinsight_insight_rule *const pinsight_mpi_rules[] = {rule_messages, NULL};
