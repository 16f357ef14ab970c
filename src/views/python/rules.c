/* Rules for insights on Python's waits: locks, the GIL, event loops that are held. */
#include "base/memory.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "reader/python/gil.h"
#include "views/insights/insights.h"
#include "views/python/python.h"
#include "views/python/task_rows.h"
#include "views/report/attribution.h"

#include <stdlib.h>
#include <string.h>

/* See docs/insights.md. */
#define LEAST_SHARE 0.1 /* of the process's own time */
/* The share of the time since the first wait in which the GIL was held. */
#define GIL_LEAST_HELD 0.5
#define USERS_PART 0.2 /* of the longest holder; then a function of the user's is named instead */

static uint64_t wall_of(const struct pinsight_process *process) {
    return pinsight_time_rest(process->last_ns, process->first_ns);
}

static bool is_much(uint64_t ns, const struct pinsight_process *process) {
    return (double)ns >= LEAST_SHARE * (double)wall_of(process);
}

/* Returns whether a wait is for an event, such as an element of a queue, and not for the lock's
 * turn. */
static bool is_for_event(const struct pinsight_report *report, uint32_t path) {
    static const char *const files[] = {"/threading.py",     "/queue.py", "/concurrent/futures/",
                                        "/multiprocessing/", "/asyncio/", "/socketserver.py",
                                        "/selectors.py"};
    const struct pinsight_model *model = report->model;
    uint32_t function = path == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[path].function;
    const char *file = function == PINSIGHT_NONE
                           ? ""
                           : pinsight_report_string(report, model->functions[function].file);

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (strstr(file, files[i]))
            return true;
    return !file[0];
}

/* Finds the lock with the most waiting for its turn. */
static void rule_locks(const struct pinsight_report *report, struct pinsight_insights *insights) {
    const struct pinsight_python *python = pinsight_model_python(report->model);
    const struct pinsight_python_locks *locks = python ? &python->locks : NULL;
    const struct pinsight_lock_wait *most = NULL;
    uint64_t *sums, largest = 0, waits = 0;
    uint32_t which = 0;

    if (!locks || !locks->count)
        return;
    sums = pinsight_calloc(locks->count, sizeof(*sums));
    for (size_t i = 0; i < locks->wait_count; i++) {
        const struct pinsight_lock_wait *wait = &locks->waits[i];

        if (is_for_event(report, wait->path) || (sums[wait->lock] += wait->sums.wait_ns) <= largest)
            continue;
        largest = sums[wait->lock];
        which = wait->lock;
    }
    free(sums);
    if (!largest || !is_much(largest, locks->locks[which].process))
        return;
    for (size_t i = 0; i < locks->wait_count; i++) {
        if (locks->waits[i].lock != which || is_for_event(report, locks->waits[i].path))
            continue;
        waits += locks->waits[i].sums.waits;
        if (!most || locks->waits[i].sums.wait_ns > most->sums.wait_ns)
            most = &locks->waits[i];
    }
    struct python_call_place place = python_call_place(report, most->path);
    struct python_call_place holder = python_call_place(report, most->holder);
    char *where = pinsight_insights_place(place.file, place.line);
    char *held = holder.name ? pinsight_insights_place(holder.file, holder.line) : NULL;

    pinsight_insights_add(insights,
                          (struct pinsight_insight){.rule = "lock",
                                                    .file = place.file,
                                                    .line = place.line,
                                                    .ns = largest,
                                                    .option = "locks"},
                          "threads wait %s, %s times, at %s in %s for a lock that %s%s%s%s holds",
                          pinsight_units_time(largest).text, pinsight_units_count(waits).text,
                          where, place.name ? place.name : "?",
                          holder.name ? holder.name : "another thread", held ? " (" : "",
                          held ? held : "", held ? ")" : "");
    PINSIGHT_FREE(where, held);
}

/* Returns the function that held the GIL longest while others wanted it: of all functions, or of
 * the user's. */
static const struct pinsight_gil_function *gil_holder(const struct pinsight_report *report,
                                                      bool users) {
    const struct pinsight_python *python = pinsight_model_python(report->model);
    const struct pinsight_gil_function *most = NULL;

    for (size_t i = 0; i < python->gil_function_count; i++) {
        const struct pinsight_gil_function *row = &python->gil_functions[i];

        if (row->function != PINSIGHT_NONE && (!most || row->held_ns > most->held_ns) &&
            (!users || pinsight_function_is_users(report->model, row->function)))
            most = row;
    }
    return most;
}

static void rule_gil(const struct pinsight_report *report, struct pinsight_insights *insights) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_python *python = pinsight_model_python(model);
    const struct pinsight_gil_function *most = NULL;
    const struct pinsight_gil *gil = NULL;

    for (size_t i = 0; python && i < python->gil_count; i++)
        if (!gil || python->gils[i].wanted_ns > gil->wanted_ns)
            gil = &python->gils[i];
    /* Else it is a matter of who goes on first, as after each call that lets others run. */
    if (!gil || !is_much(gil->wanted_ns, gil->process) ||
        (double)gil->held_ns < GIL_LEAST_HELD * (double)gil->seen_ns)
        return;
    most = gil_holder(report, false);
    const struct pinsight_gil_function *users = gil_holder(report, true);

    if (users && (double)users->held_ns >= USERS_PART * (double)most->held_ns)
        most = users;
    const struct pinsight_function *function =
        most && most->held_ns ? &model->functions[most->function] : NULL;
    const char *file = function ? pinsight_report_string(report, function->file) : NULL;
    char *place = function ? pinsight_insights_place(file, function->line) : NULL;

    pinsight_insights_add(insights,
                          (struct pinsight_insight){.rule = "gil",
                                                    .file = file,
                                                    .line = function ? function->line : 0,
                                                    .ns = gil->wait_ns,
                                                    .within_ns = wall_of(gil->process),
                                                    .option = "gil"},
                          "in %s of %s a thread waits for the GIL%s%s%s%s",
                          pinsight_units_time(gil->wanted_ns).text,
                          pinsight_units_time(wall_of(gil->process)).text,
                          function ? "; most while others are in " : "",
                          function ? pinsight_function_name(model, most->function) : "",
                          function ? " " : "", function ? place : "");
    free(place);
}

/* Returns the user's function of a row, or NULL. */
static const char *held_in(const struct held_row *row) {
    return row->in ? row->in : row->call;
}

static bool is_same_function(const struct held_row *a, const struct held_row *b) {
    return a->what.process == b->what.process && held_in(a) && held_in(b) && a->call_file &&
           b->call_file && !strcmp(held_in(a), held_in(b)) && !strcmp(a->call_file, b->call_file);
}

/* Returns the sum of all rows with the same user's function as the first. It names the call that
 * blocked the loop most often, because on a busy machine another call is longest now and then. */
static struct held_row most_held(const struct held_row *rows, size_t count) {
    struct held_row most = rows[0];
    uint64_t times = most.times;

    for (size_t i = 1; i < count; i++) {
        if (!is_same_function(&rows[0], &rows[i]))
            continue;
        if (rows[i].times > times) {
            times = rows[i].times;
            most.call = rows[i].call;
            most.call_line = rows[i].call_line;
            most.in = rows[i].in;
        }
        most.times += rows[i].times;
        most.held_ns += rows[i].held_ns;
        if (rows[i].longest_ns > most.longest_ns)
            most.longest_ns = rows[i].longest_ns;
    }
    return most;
}

/* Finds a held event loop. A loop with one task delays no other task. Clocks are not read at each
 * step, so a little of the time without a processor seems to be in steps. It would be much where a
 * process has no processor most of the time. So steps need their share of the whole time. */
static void rule_loop(const struct pinsight_report *report, struct pinsight_insights *insights) {
    const struct pinsight_python_tasks *tasks = pinsight_report_tasks(report);
    struct pinsight_rows made = pinsight_task_held_rows(report);
    const struct held_row *rows = made.first;
    uint64_t all = 0, time = 0;

    for (size_t i = 0; i < made.count; i++)
        if (rows[i].what.process == rows[0].what.process)
            all += rows[i].held_ns;
    if (made.count)
        time = pinsight_time_rest(wall_of(rows[0].what.process), rows[0].thread->clock.ready_ns);
    if (made.count && tasks && tasks->most_alive > 1 &&
        (double)all >= LEAST_SHARE * (double)wall_of(rows[0].what.process)) {
        const struct held_row most = most_held(rows, made.count);
        const char *file = most.call_file ? most.call_file : most.what.file;
        int32_t line = most.call_file ? most.call_line : most.what.line;
        char *place = file ? pinsight_insights_place(file, line) : NULL;

        pinsight_insights_add(
            insights,
            (struct pinsight_insight){.rule = "loop_held",
                                      .file = file,
                                      .line = line,
                                      .ns = most.held_ns,
                                      .within_ns = time,
                                      .option = "tasks"},
            "the event loop is held %s of %s, %s%s, the longest %s: %s%s%s%s%s",
            pinsight_units_time(most.held_ns).text, pinsight_units_time(time).text,
            most.times == 1 ? "once" : pinsight_units_count(most.times).text,
            most.times == 1 ? "" : " times", pinsight_units_time(most.longest_ns).text,
            most.call ? most.call : most.what.name, most.in ? " in " : "", most.in ? most.in : "",
            place ? " " : "", place ? place : "");
        free(place);
    }
    pinsight_rows_free(made);
}

pinsight_insight_rule *const python_rules[] = {rule_locks, rule_gil, rule_loop, NULL};
