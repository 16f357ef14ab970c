/* Finds a process that waits for processes that it started, such as a training loop that waits for
 * its data loader. The insight names the work of the workers, or says that they import modules. */
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "reader/kit/servers.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_SHARE 0.1    /* of the process's own time without imports, it waits in one function */
#define CHILDREN_SHARE 0.5 /* of that, its children ran one function, or imported modules */
#define NAMED_SHARE 0.1    /* a child is counted if it imports this part of the longest time */
/* A process that only waits for the results of a pool is not starved: it has its work done. */
#define LEAST_WAITS 10
#define LEAST_RUNNING_SHARE 0.05 /* of its time without imports, it runs */

/* A process, and its function that waits longest. */
struct longest_wait {
    const struct pinsight_attribution_view *view;
    const struct pinsight_attribution_part *part; /* the function that waits, in its process */
    uint64_t wall_ns;                             /* of the process, without imports */
    bool is_counted;                              /* its calls were counted */
};

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
            if (view->parts[i].function == f &&
                pinsight_process_starter(view->parts[i].process) == parent) {
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

/* Returns the time that a call waited. Counted calls have no single waits: it is their time. */
static uint64_t waited_in(const struct longest_wait *wait,
                          const struct pinsight_attribution_call *call) {
    if (wait->is_counted)
        return call->ns;
    return pinsight_time_rest(call->away_ns + call->native_away_ns,
                              call->ready_ns + call->native_ready_ns);
}

/* Returns the time that calls of the function waited, of lines that call often. Sets *line to the
 * line with most of it. */
static uint64_t often_waited(const struct longest_wait *wait, int32_t *line) {
    uint64_t ns = 0, most = 0;

    for (size_t i = 0; i < wait->view->call_count; i++) {
        const struct pinsight_attribution_call *call = &wait->view->calls[i];
        const uint64_t waited = waited_in(wait, call);

        if (call->function != wait->part->function || call->calls < LEAST_WAITS)
            continue;
        ns += waited;
        if (waited > most) {
            most = waited;
            *line = call->line;
        }
    }
    return pinsight_least(ns, wait->part->waiting_ns);
}

/* Returns whether the children's time explains a wait that is long enough to name. */
static bool stands_out(const struct longest_wait *wait, uint64_t waited, uint64_t children_ns) {
    return (double)waited >= LEAST_SHARE * (double)wait->wall_ns &&
           (double)children_ns >= CHILDREN_SHARE * (double)waited;
}

/* Returns a text such as "train app.py:41 waits for 1.05 s of 1.35 s, while 2 processes that it
 * started". The caller frees it. */
static char *who_waits(const struct longest_wait *wait, int32_t line, uint64_t waited,
                       size_t children) {
    const struct pinsight_attribution_function *row = &wait->view->functions[wait->part->function];
    char *place = pinsight_insights_place(row->file, line ? line : row->line);
    char *text = pinsight_format(
        "%s %s waits for %s of %s, while %zu process%s that it started",
        row->name ? row->name : "?", place, pinsight_units_time(waited).text,
        pinsight_units_time(wait->wall_ns).text, children, children == 1 ? "" : "es");

    free(place);
    return text;
}

/* Looks at waits for the work of workers. Returns the time of these waits. */
static uint64_t look_at_work(const struct longest_wait *wait, struct pinsight_insights *insights) {
    const struct pinsight_process *process = wait->part->process;
    const struct pinsight_attribution_function *meanwhile;
    uint64_t waited, ns;
    int32_t line = 0;
    size_t children;
    char *who, *other;

    waited = often_waited(wait, &line);
    if ((double)running_ns(wait->view, process) < LEAST_RUNNING_SHARE * (double)wait->wall_ns)
        return waited;
    meanwhile = children_run(wait->view, process, &ns, &children);
    if (!meanwhile || !stands_out(wait, waited, ns))
        return waited;
    who = who_waits(wait, line, waited, children);
    other = pinsight_insights_place(meanwhile->file, meanwhile->line);
    pinsight_insights_add(insights,
                          (struct pinsight_insight){.rule = "starved",
                                                    .file = meanwhile->file,
                                                    .line = meanwhile->line,
                                                    .ns = waited,
                                                    .of_ns = wait->wall_ns,
                                                    .within_ns = wait->wall_ns,
                                                    .others_ns = ns,
                                                    .option = "links"},
                          "%s ran %s %s for %s", who, meanwhile->name ? meanwhile->name : "?",
                          other, pinsight_units_time(ns).text);
    PINSIGHT_FREE(who, other);
    return waited;
}

/* Looks at the other waits: workers that import modules before they work. Workers import at the
 * same time, so that the longest time explains the wait. */
static void look_at_start(const struct pinsight_report *report, const struct longest_wait *wait,
                          struct pinsight_insights *insights, uint64_t waited) {
    const struct pinsight_attribution_function *row = &wait->view->functions[wait->part->function];
    const struct pinsight_attribution_call *call = pinsight_attribution_most(wait->view, row);
    const struct pinsight_model *model = report->model;
    uint64_t most = 0;
    size_t children = 0;
    char *who;

    for (size_t i = 0; i < model->process_count; i++)
        if (wait->view->imports_ns[i] > most &&
            pinsight_process_starter(model->processes[i]) == wait->part->process)
            most = wait->view->imports_ns[i];
    for (size_t i = 0; i < model->process_count; i++)
        children += pinsight_process_starter(model->processes[i]) == wait->part->process &&
                    (double)wait->view->imports_ns[i] >= NAMED_SHARE * (double)most;
    if (!most || !stands_out(wait, waited, most))
        return;
    who = who_waits(wait, call ? call->line : 0, waited, children);
    pinsight_insights_add(insights,
                          (struct pinsight_insight){.rule = "starting",
                                                    .file = row->file,
                                                    .line = call ? call->line : row->line,
                                                    .ns = waited,
                                                    .of_ns = wait->wall_ns,
                                                    .within_ns = wait->wall_ns,
                                                    .others_ns = most,
                                                    .option = "imports"},
                          "%s imported modules for %s%s", who, children > 1 ? "up to " : "",
                          pinsight_units_time(most).text);
    free(who);
}

void pinsight_rule_starved(const struct pinsight_report *report,
                           struct pinsight_insights *insights) {
    const struct pinsight_attribution_view *view = report->attribution;
    struct longest_wait wait = {.view = view, .is_counted = report->only_counted};

    for (size_t i = 0; i < view->part_count; i++)
        if (view->functions[view->parts[i].function].users &&
            (!wait.part || view->parts[i].waiting_ns > wait.part->waiting_ns))
            wait.part = &view->parts[i];
    if (!wait.part)
        return;
    wait.wall_ns = pinsight_time_rest(wait.part->process->last_ns,
                                      wait.part->process->first_ns +
                                          view->imports_ns[wait.part->process->index]);
    look_at_start(report, &wait, insights,
                  pinsight_time_rest(wait.part->waiting_ns, look_at_work(&wait, insights)));
}
