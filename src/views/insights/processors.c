/* Finds more runnable threads than processors. Each thread waits for its turn, because processes
 * start threads of their own, or pools are too large. Other programs on a busy machine do not
 * count. */
#include "base/memory.h"
#include "base/run_info.h"
#include "base/units.h"
#include "views/domain.h"
#include "views/insights/insights.h"
#include "views/process_name.h"
#include "views/report/attribution.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* See docs/insights.md. */
#define LEAST_TIMES 2.5  /* runnable threads on average, per processor */
#define LEAST_SHARE 0.25 /* of the time that threads are runnable, they have no processor */

static uint64_t wants(const struct pinsight_attribution_function *row) {
    return pinsight_attribution_running_ns(row) + row->away.ready_ns + row->ready_ns;
}

/* Returns the function of the user's whose threads are runnable longest. */
static const struct pinsight_attribution_function *
most_wanting(const struct pinsight_attribution_view *view) {
    const struct pinsight_attribution_function *most = NULL;

    for (size_t i = 0; i < view->function_count; i++)
        if (view->functions[i].users && (!most || wants(&view->functions[i]) > wants(most)))
            most = &view->functions[i];
    return most;
}

/* Sets the times in which threads were runnable, and had no processor. For counted calls, they are
 * those of the threads' clocks. */
static void sum_runnable(const struct pinsight_report *report, uint64_t *wanted, uint64_t *ready) {
    const struct pinsight_attribution_view *view = report->attribution;

    *ready = pinsight_insights_ready(report);
    *wanted = pinsight_insights_running(report) + *ready;
    if (!report->only_counted)
        return;
    *wanted = *ready = 0;
    for (size_t t = 0; t < view->thread_count; t++) {
        const struct pinsight_thread_clock *clock = &view->threads[t].thread->clock;

        if (view->threads[t].idle)
            continue;
        *wanted += pinsight_thread_clock_wanted_ns(clock);
        *ready += pinsight_least(clock->ready_ns, pinsight_thread_clock_wanted_ns(clock));
    }
}

/* Returns the number of ranks. Sets *alone to whether all of them ran on the machine on which the
 * run started, as far as names of machines show it. */
static size_t ranks_of(const struct pinsight_model *model, const struct pinsight_run_info *run,
                       bool *alone) {
    size_t count = 0;

    *alone = run && run->host[0];
    for (size_t i = 0; i < model->process_count; i++) {
        const struct pinsight_process *process = model->processes[i];

        if (view_process_rank(process) < 0 || view_process_works_for(process))
            continue;
        count++;
        *alone =
            *alone && !strcmp(pinsight_strings_text(&model->strings, process->hostname), run->host);
    }
    return count;
}

/* Looks at ranks. Each may be allowed to use some processors of several machines, which the trace
 * does not know. It knows the processors of the run's machine, which is enough if all ranks ran
 * there. Ranks spin, so that one more than processors takes another one's time. */
static void look_at_ranks(const struct pinsight_report *report, struct pinsight_insights *insights,
                          size_t ranks, uint64_t ready, uint64_t wanted) {
    const struct pinsight_run_info *run = report->options.run;

    if (!run->online || ranks <= run->online || (double)ready < LEAST_SHARE * (double)wanted)
        return;
    pinsight_insights_add(insights,
                          (struct pinsight_insight){.rule = "processors",
                                                    .ns = ready,
                                                    .of_ns = wanted,
                                                    .within_ns = wanted,
                                                    .option = "by rank"},
                          "%zu ranks share the %" PRIu64
                          " processor%s of %s: they wait for one %s of %s",
                          ranks, run->online, run->online == 1 ? "" : "s", run->host,
                          pinsight_units_time(ready).text, pinsight_units_time(wanted).text);
}

void pinsight_rule_processors(const struct pinsight_report *report,
                              struct pinsight_insights *insights) {
    const struct pinsight_run_info *run = report->options.run;
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_model *model = report->model;
    const uint64_t wall = pinsight_time_rest(model->last_ns, model->first_ns);
    const struct pinsight_attribution_function *most;
    bool alone;
    const size_t ranks = ranks_of(model, run, &alone);
    uint64_t wanted, ready;
    double threads;
    char *place;

    sum_runnable(report, &wanted, &ready);
    if (alone && ranks)
        look_at_ranks(report, insights, ranks, ready, wanted);
    if (!run || !run->processors || !wall || ranks)
        return;
    threads = (double)wanted / (double)wall;
    most = most_wanting(view);
    if (!most || threads < LEAST_TIMES * (double)run->processors ||
        (double)ready < LEAST_SHARE * (double)wanted)
        return;
    place = pinsight_insights_place(most->file, most->line);
    pinsight_insights_add(insights,
                          (struct pinsight_insight){.rule = "processors",
                                                    .file = most->file,
                                                    .line = most->line,
                                                    .ns = ready,
                                                    .of_ns = wanted,
                                                    .within_ns = wanted,
                                                    .option = "by thread"},
                          "%.1f threads on average want one of %" PRIu64
                          " processor%s: they wait for it %s of %s, most in %s "
                          "%s",
                          threads, run->processors, run->processors == 1 ? "" : "s",
                          pinsight_units_time(ready).text, pinsight_units_time(wanted).text,
                          most->name ? most->name : "?", place);
    free(place);
}
