/* Finds work besides the program's own: packing objects for other processes, copying objects,
 * writing a log, forcing files to disk. For each kind, it names the user's line with most of it. */
#include "base/memory.h"
#include "base/units.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <stdlib.h>
#include <string.h>

/* See docs/insights.md. */
#define LEAST_SHARE 0.1
#define LEAST_NS 20000000

/* A kind of work. The calls are known by the beginning of a name in C, or by the end of a file in
 * Python. */
struct chore {
    const char *rule, *what;
    const char *const *names, *const *files;
    bool in_libraries;         /* mostly called by library threads, beneath no line of the user's */
    const char *const *askers; /* then the user's line calls one of these files */
};

static const char *const none[] = {NULL};
static const char *const pickle_names[] = {"_pickle.", NULL};
static const char *const pickle_files[] = {"/pickle.py", "/cloudpickle/cloudpickle.py", NULL};
static const char *const process_files[] = {"/multiprocessing/", "/concurrent/futures/", "/joblib/",
                                            NULL};
static const char *const copy_files[] = {"/copy.py", NULL};
static const char *const log_files[] = {"/logging/__init__.py", NULL};
static const char *const sync_names[] = {"posix.fsync", "posix.fdatasync", "posix.sync", NULL};

static const struct chore chores[] = {
    {"pickling", "pickling objects", pickle_names, pickle_files, true, process_files},
    {"copying", "copying objects", none, copy_files, false, NULL},
    {"syncing", "forcing files to disk", sync_names, none, false, NULL},
    {"logging", "logging", none, log_files, false, NULL},
};

static bool begins(const char *text, const char *const *with) {
    for (; *with; with++)
        if (!strncmp(text, *with, strlen(*with)))
            return true;
    return false;
}

static bool contains(const char *text, const char *const *parts) {
    for (; *parts; parts++)
        if (strstr(text, *parts))
            return true;
    return false;
}

struct chore_sum {
    uint64_t ns;
    uint64_t calls; /* of the user's line with the most time; in libraries, of all */
    const struct pinsight_attribution_call *most; /* the user's call with the most time, or NULL */
    uint64_t most_ns;
};

/* Returns the time of a call, except callbacks to the user's functions, and except time ready
 * without a processor. */
static uint64_t took(const struct pinsight_attribution_call *call) {
    return pinsight_time_rest(call->ns, call->ready_ns);
}

static bool is_chore(const struct chore *chore, const struct pinsight_attribution_call *call) {
    return call->callee_file ? contains(call->callee_file, chore->files)
                             : begins(call->callee, chore->names);
}

static void take_most(struct chore_sum *sum, const struct pinsight_attribution_call *call) {
    if (sum->most && took(call) <= sum->most_ns)
        return;
    sum->most = call;
    sum->most_ns = took(call);
}

/* Sums calls from the user's lines. */
static struct chore_sum of_users(const struct pinsight_report *report, const struct chore *chore) {
    const struct pinsight_attribution_view *view = report->attribution;
    struct chore_sum sum = {0};

    for (size_t i = 0; i < view->call_count; i++) {
        const struct pinsight_attribution_call *call = &view->calls[i];

        if (!view->functions[call->function].users || !is_chore(chore, call))
            continue;
        sum.ns += took(call);
        take_most(&sum, call);
    }
    for (size_t i = 0; sum.most && i < view->call_count; i++)
        if (view->calls[i].function == sum.most->function &&
            view->calls[i].line == sum.most->line && is_chore(chore, &view->calls[i]))
            sum.calls += view->calls[i].calls;
    return sum;
}

/* Sums C callables from any caller, and finds the user's line that causes most of them. */
static struct chore_sum of_all(const struct pinsight_report *report, const struct chore *chore) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_model *model = report->model;
    struct chore_sum sum = {0};

    for (size_t i = 0; i < model->callee_count; i++) {
        const struct pinsight_callee *callee = &model->callees[i];

        if (!callee->known || !begins(pinsight_callee_name(model, (uint32_t)i), chore->names))
            continue;
        sum.ns += pinsight_time_rest(callee->stats.self_ns, callee->stats.away_ns) +
                  callee->counted.self_ns;
        sum.calls += callee->stats.calls + callee->counted.calls;
    }
    for (size_t i = 0; i < view->call_count; i++) {
        const struct pinsight_attribution_call *call = &view->calls[i];

        if (view->functions[call->function].users &&
            (is_chore(chore, call) ||
             (call->callee_file && contains(call->callee_file, chore->askers))))
            take_most(&sum, call);
    }
    return sum;
}

static void look_for(const struct pinsight_report *report, struct pinsight_insights *insights,
                     const struct chore *chore) {
    const struct chore_sum sum =
        chore->in_libraries ? of_all(report, chore) : of_users(report, chore);
    const uint64_t whole =
        chore->in_libraries ? pinsight_insights_running(report) : pinsight_insights_whole(report);
    struct pinsight_insight insight = {.rule = chore->rule,
                                       .ns = sum.ns,
                                       .of_ns = whole,
                                       .within_ns = chore->in_libraries ? whole : report->whole_ns,
                                       .option = "tree"};
    char *place = NULL;

    if (sum.ns < LEAST_NS || (double)sum.ns < LEAST_SHARE * (double)whole)
        return;
    if (sum.most) {
        const struct pinsight_attribution_function *caller =
            &report->attribution->functions[sum.most->function];

        insight.file = caller->file;
        insight.line = sum.most->line ? sum.most->line : caller->line;
        /* The chore of a library is another fact about the line. */
        if (!chore->in_libraries &&
            pinsight_insights_reported(insights, insight.file, insight.line))
            return;
        place = pinsight_insights_place(insight.file, insight.line);
    }
    pinsight_insights_add(
        insights, insight, "%s takes %s, %s %% of %s%s%s%s%s%s, %s time%s%s", chore->what,
        pinsight_units_time(sum.ns).text, pinsight_units_percent(sum.ns, insight.within_ns).text,
        chore->in_libraries ? "what all threads run" : "all time", place ? "; most at " : "",
        place ? place : "", place ? " (" : "", place ? sum.most->callee : "",
        place && chore->in_libraries ? ")" : "", pinsight_units_count(sum.calls).text,
        sum.calls == 1 ? "" : "s", place && !chore->in_libraries ? ")" : "");
    free(place);
}

void pinsight_rule_chores(const struct pinsight_report *report,
                          struct pinsight_insights *insights) {
    for (size_t i = 0; i < sizeof(chores) / sizeof(chores[0]); i++)
        look_for(report, insights, &chores[i]);
}
