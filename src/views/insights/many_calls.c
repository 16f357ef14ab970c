/* Finds many small calls of one callee from one line. Examples are "N+1" queries in a loop, and
 * access to a table row by row. The insight states a fact. The reader decides whether one call
 * could do the work. */
#include "base/memory.h"
#include "base/units.h"
#include "reader/python/garbage.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"
#include "views/report/waited.h"

#include <stdlib.h>
#include <string.h>

/* See docs/insights.md. */
#define LEAST_CALLS 500
#define LEAST_RUNNING_SHARE 0.15 /* of the time that all threads ran */
#define LEAST_SHARE 0.03         /* of all their time */
#define LEAST_MEAN_NS 1000
#define LEAST_MEAN_QUERY_NS 100 /* of a query to a database */
#define MOST_MEAN_NS 300000
#define MOST_MEAN_NUMPY_NS 10000
/* A call's waiting time counts if most waiting is for sockets and files, that is for answers. */
#define MOST_MEAN_ANSWER_NS 20000000
#define ANSWERS_SHARE 0.5
/* A function of the user's that is called in a loop is mostly the program's purpose, and has higher
 * thresholds. */
#define USERS_LEAST_PER_CALL 500
#define USERS_LEAST_RUNNING_SHARE 0.5
#define USERS_MOST_MEAN_NS 100000

/* Returns the counted time of garbage collections that interrupted a function. With counted calls,
 * no row has this time. */
static uint64_t counted_garbage(const struct pinsight_model *model,
                                const struct pinsight_attribution_function *row) {
    uint64_t ns = 0;

    for (size_t i = 0; i < model->garbage_count; i++) {
        uint32_t number = pinsight_garbage_function(model, &model->garbage[i]);
        const struct pinsight_function *function =
            number == PINSIGHT_NONE ? NULL : &model->functions[number];

        if (function && function->line == row->line &&
            !strcmp(pinsight_strings_text(&model->strings, function->name), row->name) &&
            !strcmp(pinsight_strings_text(&model->strings, function->file), row->file))
            ns += model->garbage[i].total_ns;
    }
    return ns;
}

/* Returns whether a C call is for one file, such as open() or stat(). No call does that for many
 * files. */
static bool is_for_one_file(const struct pinsight_attribution_call *call) {
    return !call->callee_file &&
           (!strncmp(call->callee, "posix.", 6) || !strcmp(call->callee, "_io.open") ||
            !strcmp(call->callee, "io.open")); /* before CPython 3.12 */
}

/* Returns the most mean time of a call that counts as small. A longer call of NumPy is busy with
 * the elements of its array. */
static uint64_t most_mean_ns(const struct pinsight_attribution_call *call, bool answers) {
    if (answers)
        return MOST_MEAN_ANSWER_NS;
    return !strncmp(call->callee, "numpy.", 6) ||
                   (call->callee_file && strstr(call->callee_file, "/numpy/"))
               ? MOST_MEAN_NUMPY_NS
               : MOST_MEAN_NS;
}

/* Returns the running time of the called function, in proportion to this call's part of its calls,
 * and without garbage collections. */
static uint64_t users_running(const struct pinsight_report *report,
                              const struct pinsight_attribution_call *call) {
    const struct pinsight_attribution_view *view = report->attribution;

    for (size_t i = 0; i < view->function_count; i++) {
        const struct pinsight_attribution_function *row = &view->functions[i];

        /* The values of a generator are no calls. */
        if (row->users && row->calls && !row->is_resumed && row->line == call->callee_line &&
            row->name && !strcmp(row->file, call->callee_file) && !strcmp(row->name, call->callee))
            return (uint64_t)((double)pinsight_time_rest(pinsight_attribution_running_ns(row),
                                                         report->only_counted
                                                             ? counted_garbage(report->model, row)
                                                             : row->gc_ns) *
                              (double)call->calls / (double)row->calls);
    }
    return 0;
}

/* Returns whether threads mostly wait for answers. */
static bool waits_for_answers(const struct pinsight_report *report) {
    const double all = (double)pinsight_waited_ns(report);
    uint64_t answers = 0;

    for (size_t i = 0; i < report->wait_count; i++)
        if (pinsight_waited_is_answer(&report->waits[i]))
            answers += report->waits[i].waiting_ns;
    return answers && (double)answers >= ANSWERS_SHARE * all;
}

/* Returns the time of a call, except native work of domains within it, because other rules look at
 * that. */
static uint64_t own_of(const struct pinsight_report *report,
                       const struct pinsight_attribution_call *call, bool answers) {
    uint64_t ns = pinsight_time_rest(call->ns, call->native_ns);
    uint64_t away = pinsight_time_rest(call->away_ns, call->native_away_ns);

    /* A call that took far longer than the others does not count as one of many. */
    if (call->is_users)
        return pinsight_time_rest(users_running(report, call), call->max_ns);
    return pinsight_time_rest(
        ns, (answers ? pinsight_time_rest(call->ready_ns, call->native_ready_ns) : away) +
                call->max_ns);
}

/* Returns whether a call is a query, which is one too many however short it is. */
static bool is_query(const struct pinsight_attribution_call *call) {
    const char *last = strrchr(call->callee, '.');

    return last && !strcmp(last, ".execute");
}

static bool is_many(const struct pinsight_report *report,
                    const struct pinsight_attribution_call *call, uint64_t ns, bool answers) {
    const struct pinsight_attribution_function *caller =
        &report->attribution->functions[call->function];
    const double all =
        (double)(answers ? pinsight_insights_whole(report) : pinsight_insights_running(report));
    const double share = (double)ns / all;
    const uint64_t mean = ns / call->calls;

    if (!caller->calls || mean < (is_query(call) ? LEAST_MEAN_QUERY_NS : LEAST_MEAN_NS) ||
        (double)ns < LEAST_SHARE * (double)pinsight_insights_whole(report))
        return false;
    if (call->is_users)
        return call->calls / caller->calls >= USERS_LEAST_PER_CALL && mean <= USERS_MOST_MEAN_NS &&
               share >= USERS_LEAST_RUNNING_SHARE;
    return mean <= most_mean_ns(call, answers) && share >= LEAST_RUNNING_SHARE;
}

/* Returns the call with the most time, and sets *most to this time. A library's call goes before
 * one of the user's functions. */
static const struct pinsight_attribution_call *worst_of(const struct pinsight_report *report,
                                                        uint64_t *most) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_attribution_call *worst = NULL;
    const bool answers = waits_for_answers(report);

    for (size_t i = 0; i < view->call_count; i++) {
        const struct pinsight_attribution_call *call = &view->calls[i];
        uint64_t ns;

        if (call->calls < LEAST_CALLS || !view->functions[call->function].users ||
            is_for_one_file(call) || (worst && !worst->is_users && call->is_users))
            continue;
        ns = own_of(report, call, answers);
        if (!is_many(report, call, ns, answers) ||
            (worst && worst->is_users == call->is_users && ns <= *most))
            continue;
        worst = call;
        *most = ns;
    }
    return worst;
}

/* Returns a text such as "all in one call of lines" or "2 in each of 1,500 calls of total_of". The
 * caller frees it. */
static char *callers_of(const struct pinsight_attribution_call *call,
                        const struct pinsight_attribution_function *caller) {
    const char *name = caller->name ? caller->name : "?";

    if (caller->calls == 1)
        return pinsight_format("all in one call of %s", name);
    if (call->calls < caller->calls) /* some calls of the function make none */
        return pinsight_format("in %s calls of %s", pinsight_units_count(caller->calls).text, name);
    return pinsight_format(
        "%s%s in each of %s calls of %s", call->calls % caller->calls ? "about " : "",
        pinsight_units_count((call->calls + caller->calls / 2) / caller->calls).text,
        pinsight_units_count(caller->calls).text, name);
}

void pinsight_rule_many_calls(const struct pinsight_report *report,
                              struct pinsight_insights *insights) {
    uint64_t ns = 0;
    const struct pinsight_attribution_call *call = worst_of(report, &ns);
    const struct pinsight_attribution_function *caller;
    char *place, *callers;
    int32_t line;

    if (!call)
        return;
    caller = &report->attribution->functions[call->function];
    line = call->line ? call->line : caller->line;
    if (pinsight_insights_reported(insights, caller->file, line))
        return;
    place = pinsight_insights_place(caller->file, line);
    callers = callers_of(call, caller);
    pinsight_insights_add(
        insights,
        (struct pinsight_insight){
            .rule = "many_calls", .file = caller->file, .line = line, .ns = ns, .option = "tree"},
        "%s calls %s %s times (%s): %s, %s each", place, call->callee,
        pinsight_units_count(call->calls).text, callers, pinsight_units_time(ns).text,
        pinsight_units_time(ns / call->calls).text);
    PINSIGHT_FREE(place, callers);
}
