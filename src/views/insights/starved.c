/* Finds a process that waits for processes that it started, such as a training loop that waits for
 * its data loader. The insight names the work of the workers. */
#include "base/memory.h"
#include "base/units.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_SHARE 0.1    /* of the process's own time without imports, it waits in one function */
#define CHILDREN_SHARE 0.5 /* of that, its children ran one function */
/* A process that only waits for the results of a pool is not starved: it has its work done. */
#define LEAST_WAITS 10
#define LEAST_RUNNING_SHARE 0.05 /* of its time without imports, it runs */

/* Returns the function that the children of a process ran longest, summed over all children. Sets
 * *ns to that time, and *children to the number of children that ran it. */
static const struct pinsight_attribution_function *
children_run(const struct pinsight_attribution_view *view, const struct pinsight_process *parent,
             uint64_t *ns, size_t *children) {
    const struct pinsight_attribution_function *most = NULL;

    *ns = 0;
    for (size_t f = 0; f < view->function_count; f++) {
        uint64_t sum = 0;
        size_t count = 0;

        for (size_t i = 0; view->functions[f].users && i < view->part_count; i++)
            if (view->parts[i].function == f && view->parts[i].process->ppid == parent->pid &&
                pinsight_model_parent(view->parts[i].process) == parent) {
                sum += view->parts[i].running_ns + view->parts[i].ready_ns;
                count += view->parts[i].running_ns > 0;
            }
        if (sum <= *ns)
            continue;
        *ns = sum;
        *children = count;
        most = &view->functions[f];
    }
    return most;
}

static uint64_t running_ns(const struct pinsight_attribution_view *view,
                           const struct pinsight_process *process) {
    uint64_t ns = 0;

    for (size_t i = 0; i < view->part_count; i++)
        ns += view->parts[i].process == process ? view->parts[i].running_ns : 0;
    return ns;
}

static void look_at(const struct pinsight_report *report, struct pinsight_insights *insights,
                    const struct pinsight_attribution_part *part) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_process *process = part->process;
    const struct pinsight_attribution_function *row = &view->functions[part->function];
    const struct pinsight_attribution_call *call = pinsight_attribution_most(view, row);
    const struct pinsight_attribution_function *meanwhile;
    const uint64_t wall =
        pinsight_time_rest(process->last_ns, process->first_ns + view->imports_ns[process->index]);
    uint64_t ns;
    size_t children;
    char *place, *other;

    if (!row->users || (double)part->waiting_ns < LEAST_SHARE * (double)wall || !call ||
        call->calls < LEAST_WAITS ||
        (double)running_ns(view, process) < LEAST_RUNNING_SHARE * (double)wall)
        return;
    meanwhile = children_run(view, process, &ns, &children);
    if (!meanwhile || (double)ns < CHILDREN_SHARE * (double)part->waiting_ns)
        return;
    place = pinsight_insights_place(row->file, call && call->line ? call->line : row->line);
    other = pinsight_insights_place(meanwhile->file, meanwhile->line);
    pinsight_insights_add(
        insights,
        (struct pinsight_insight){.rule = "starved",
                                  .file = meanwhile->file,
                                  .line = meanwhile->line,
                                  .ns = part->waiting_ns,
                                  .of_ns = wall,
                                  .within_ns = wall,
                                  .option = "links"},
        "%s %s waits for %s of %s, while %zu process%s that it started ran %s "
        "%s for %s",
        row->name ? row->name : "?", place, pinsight_units_time(part->waiting_ns).text,
        pinsight_units_time(wall).text, children, children == 1 ? "" : "es",
        meanwhile->name ? meanwhile->name : "?", other, pinsight_units_time(ns).text);
    PINSIGHT_FREE(place, other);
}

void pinsight_rule_starved(const struct pinsight_report *report,
                           struct pinsight_insights *insights) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_attribution_part *most = NULL;

    for (size_t i = 0; i < view->part_count; i++)
        if (view->functions[view->parts[i].function].users &&
            (!most || view->parts[i].waiting_ns > most->waiting_ns))
            most = &view->parts[i];
    if (most)
        look_at(report, insights, most);
}
