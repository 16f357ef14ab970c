/* Estimates PInsight's own cost; see cost.h. */
#include "views/report/cost.h"

#include "base/callback_price.h"
#include "base/memory.h"
#include "base/run_info.h"
#include "base/text.h"
#include "base/units.h"
#include "base/users_code.h"
#include "reader/core/counted.h"
#include "views/report/attribution.h"
#include "views/report/control.h"

#include <string.h>

/* Loading the recorder into a process without CPython, and ending its trace. */
#define START_NS 3000000.0

/* With fewer timed callbacks, the mean is not reliable: one callback may have met a new function,
 * or may have been interrupted. Then USUAL_NS is the time of a callback, which is the usual one in
 * the bench. */
#define FEW_SAMPLES 16
#define USUAL_NS 50.0

/* A chunk is not the whole run. */
static const struct pinsight_run_info *whole_run(const struct pinsight_report *report) {
    return report->options.chunk ? NULL : report->options.run;
}

/* Returns how long Python's own code ran in a thread, in ns. The times of counted code include
 * native work and time without a processor. C calls have the native work first, as on the bar. All
 * code is equally likely to lack a processor, and none runs for longer than its thread. */
static double thread_python_ns(const struct pinsight_attribution_thread *thread) {
    const struct pinsight_thread_clock *clock = &thread->thread->clock;
    const uint64_t coded_ns = thread->python_ns + thread->c_ns;
    const uint64_t known_ns = clock->known_ns > coded_ns ? clock->known_ns : coded_ns;
    const uint64_t missed_ns = pinsight_time_rest(clock->ready_ns, thread->away.ready_ns);
    uint64_t native_ns = 0;

    for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        native_ns += thread->counted_native_ns[d];
    const uint64_t python_ns =
        pinsight_time_rest(pinsight_time_rest(thread->python_ns, thread->away.python_ns),
                           pinsight_time_rest(native_ns, thread->c_ns));
    const double ran_ns =
        known_ns ? (double)python_ns *
                       (1 - (double)pinsight_least(missed_ns, known_ns) / (double)known_ns)
                 : 0;
    const double all_ns =
        clock->known_ns
            ? (double)pinsight_time_rest(clock->known_ns, clock->waiting_ns + clock->ready_ns)
            : ran_ns;

    return ran_ns < all_ns ? ran_ns : all_ns;
}

/* Returns how long Python's own code ran in a process, in ns. Counted code may have waited
 * meanwhile, but it did not run longer than the whole command. */
static double python_ns(const struct pinsight_report *report,
                        const struct pinsight_process *process) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_run_info *run = whole_run(report);
    double sum = 0;

    for (size_t i = 0; i < view->thread_count; i++)
        if (view->threads[i].thread->process == process)
            sum += thread_python_ns(&view->threads[i]);
    /* Counts by call path are in the threads' times already. */
    for (size_t i = 0; i < process->thread_count && !report->by_path; i++)
        sum += (double)process->thread_list[i]->counted[PINSIGHT_FUNCTION].self_ns;
    if (run && run->processor_ns && sum > (double)run->processor_ns)
        sum = (double)run->processor_ns;
    return sum;
}

static bool has_few(const struct pinsight_callbacks *callbacks) {
    return callbacks->samples < FEW_SAMPLES;
}

static double own_ns(const struct pinsight_callbacks *callbacks) {
    return has_few(callbacks) ? (double)callbacks->count * USUAL_NS : (double)callbacks->own_ns;
}

/* Returns the runtime's time for making a callback, as the mean of the timed ones by their
 * kinds. */
static double made_ns(const struct pinsight_callbacks *callbacks,
                      const struct pinsight_callback_price *price) {
    const struct pinsight_callback_kinds kinds = {callbacks->functions, callbacks->generators,
                                                  callbacks->unwinds,   callbacks->calls,
                                                  callbacks->operators, callbacks->exceptions};

    return has_few(callbacks) ? price->function : pinsight_callback_price_made(price, &kinds);
}

/* Returns the number of modules that a process imported: recorded imports, and counted ones. */
static double imports_of(const struct pinsight_report *report,
                         const struct pinsight_process *process) {
    const struct pinsight_model *model = report->model;
    uint64_t count = 0;

    for (size_t i = 0; i < model->import_count; i++)
        if (model->imports[i].process == process)
            count += model->imports[i].count;
    for (size_t i = 0; i < model->counted_count; i++) {
        const struct pinsight_counted *path = &model->counted[i];

        if (path->thread->process == process && path->kind == PINSIGHT_FUNCTION &&
            !strcmp(pinsight_report_string(report, model->functions[path->id].file),
                    PINSIGHT_IMPORT_FILE))
            count += path->calls;
    }
    return (double)count;
}

static double runtime_ns(const struct pinsight_report *report,
                         const struct pinsight_process *process,
                         const struct pinsight_process_domain *domain,
                         const struct pinsight_callbacks *callbacks) {
    const struct pinsight_callback_price *price =
        pinsight_callback_price(pinsight_report_string(report, domain->runtime));

    if (!price)
        return START_NS;
    double slowed = python_ns(report, process) - own_ns(callbacks);

    if (slowed < 0)
        slowed = 0;
    return (double)callbacks->count * made_ns(callbacks, price) +
           (double)callbacks->met * price->met + (double)callbacks->tasks * price->task +
           (double)domain->bytes * price->byte + slowed * price->python + price->start +
           imports_of(report, process) * price->import;
}

/* Adds the callbacks of a process to those of others. */
static void add_callbacks(struct pinsight_callbacks *sum, const struct pinsight_callbacks *more) {
    sum->count += more->count;
    sum->samples += more->samples;
    sum->own_ns += (uint64_t)own_ns(more);
    sum->functions += more->functions;
    sum->generators += more->generators;
    sum->unwinds += more->unwinds;
    sum->calls += more->calls;
    sum->operators += more->operators;
    sum->exceptions += more->exceptions;
}

/* Returns all callbacks that processes reported at their ends. */
static struct pinsight_callbacks all_callbacks(const struct pinsight_model *model) {
    struct pinsight_callbacks sum = {0};

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t d = 0; d < model->processes[i]->domain_count; d++)
            add_callbacks(&sum, &model->processes[i]->domains[d].callbacks);
    return sum;
}

/* Returns the number of recorded and counted callbacks of a process. */
static uint64_t seen_callbacks(const struct pinsight_model *model,
                               const struct pinsight_process *process) {
    uint64_t counted = 0;

    for (size_t i = 0; i < model->counted_count; i++)
        if (model->counted[i].thread->process == process &&
            pinsight_counted_is_python(&model->counted[i]))
            counted += 2 * model->counted[i].calls;
    return process->events + counted;
}

/* Returns the callbacks of a domain. A process that a signal ended did not report them. Those that
 * it recorded or counted cost as much as the callbacks of other processes did. */
static struct pinsight_callbacks callbacks_of(const struct pinsight_report *report,
                                              const struct pinsight_process *process,
                                              const struct pinsight_process_domain *domain) {
    const struct pinsight_model *model = report->model;
    struct pinsight_callbacks callbacks;
    uint64_t count;

    if (domain->callbacks.count || domain->has_totals ||
        !pinsight_callback_price(pinsight_report_string(report, domain->runtime)))
        return domain->callbacks;
    callbacks = all_callbacks(model);
    count = callbacks.count;
    callbacks.count = seen_callbacks(model, process);
    callbacks.own_ns =
        count ? (uint64_t)((double)callbacks.own_ns * (double)callbacks.count / (double)count) : 0;
    return callbacks;
}

static double process_ns(const struct pinsight_report *report,
                         const struct pinsight_process *process) {
    double sum = 0;

    for (size_t d = 0; process->selected && d < process->domain_count; d++) {
        const struct pinsight_process_domain *domain = &process->domains[d];
        const struct pinsight_callbacks callbacks = callbacks_of(report, process, domain);
        double taken = own_ns(&callbacks) + runtime_ns(report, process, domain, &callbacks);

        if (callbacks.count)
            sum += taken > 0 ? taken : 0;
    }
    return sum;
}

static double all_ns(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_run_info *run = whole_run(report);
    double sum = 0;

    if (report->source.later_chunk)
        return 0; /* callbacks are counted from the start */

    for (size_t i = 0; i < model->process_count; i++)
        sum += process_ns(report, model->processes[i]);
    return run && run->processor_ns && sum > (double)run->processor_ns ? (double)run->processor_ns
                                                                       : sum;
}

bool pinsight_cost_is_known(const struct pinsight_report *report) {
    return all_ns(report) > 0;
}

uint64_t pinsight_cost_ns(const struct pinsight_report *report) {
    return (uint64_t)all_ns(report);
}

char *pinsight_cost_text(const struct pinsight_report *report) {
    uint64_t ns = pinsight_cost_ns(report);

    return ns ? pinsight_format("looking cost about %s", pinsight_units_time(ns).text)
              : pinsight_strdup("");
}

/* Returns the cost as a share of the program's own processor time, such as "5.4 % used", or "". The
 * caller frees it. */
static char *used_of(const struct pinsight_report *report) {
    const struct pinsight_run_info *run = whole_run(report);
    const uint64_t ns = pinsight_cost_ns(report);

    if (!ns || !run || run->processor_ns <= ns)
        return pinsight_strdup("");
    return pinsight_format(": %s %% used", pinsight_units_percent(ns, run->processor_ns - ns).text);
}

char *pinsight_cost_budget_text(const struct pinsight_report *report) {
    const struct pinsight_run_info *run = report->options.run;
    char *left_out, *used, *text;
    const uint64_t count = pinsight_budget_left_out(report, &left_out);

    if (!count && !(run && run->budget[0])) {
        free(left_out);
        return pinsight_strdup("");
    }
    used = used_of(report);
    text = pinsight_format("budget%s%s%s%s%s%s", run && run->budget[0] ? " " : "",
                           run ? run->budget : "", used, left_out[0] ? "; " : "", left_out,
                           left_out[0] ? " in part (≥)" : "");
    PINSIGHT_FREE(used, left_out);
    return text;
}
