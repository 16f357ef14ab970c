/* Finds time outside the user's code: imports and garbage collections. */
#include "base/map.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/users_code.h"
#include "reader/kit/paths.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_SHARE 0.1
#define LEAST_IMPORTS_NS 150000000

/* Returns the whole time, with imports. */
static uint64_t whole_of(const struct pinsight_report *report) {
    return pinsight_insights_whole(report) +
           pinsight_attribution_import_took(&report->attribution->all_imports);
}

static bool is_much(const struct pinsight_report *report, uint64_t ns) {
    return (double)ns >= LEAST_SHARE * (double)whole_of(report);
}

void pinsight_rule_imports(const struct pinsight_report *report,
                           struct pinsight_insights *insights) {
    const struct pinsight_attribution_view *view = report->attribution;
    const uint64_t ns = pinsight_attribution_import_took(&view->all_imports);
    const struct pinsight_attribution_import *most = view->imports;

    if (view->all_imports.counted_ns || ns < LEAST_IMPORTS_NS || !is_much(report, ns))
        return;
    struct pinsight_insight insight = {.rule = "imports",
                                       .file = most->file,
                                       .line = most->line,
                                       .ns = ns,
                                       .of_ns = report->whole_ns,
                                       .within_ns = report->whole_ns,
                                       .option = "imports"};
    const char *package = most->package ? most->package : "code without a package";
    const uint64_t most_ns = pinsight_attribution_import_took(most);
    char *place = most->file ? pinsight_insights_place(most->file, most->line) : NULL;

    if (place && 2 * most_ns >= ns)
        pinsight_insights_add(insights, insight, "%s imports %s: %s of %s", place, package,
                              pinsight_units_time(most_ns).text,
                              pinsight_units_time(insight.of_ns).text);
    else
        pinsight_insights_add(
            insights, insight, "imports take %s, %s %% of all time: %s takes %s%s%s%s",
            pinsight_units_time(ns).text, pinsight_units_percent(ns, insight.of_ns).text, package,
            pinsight_units_time(most_ns).text, place ? " (" : "", place ? place : "",
            place ? ")" : "");
    free(place);
}

/* Returns whether a collection struck the import of a library. Its time is one of the import. */
static bool is_of_import(const struct pinsight_model *model, uint32_t path) {
    for (size_t steps = 0; path != PINSIGHT_NONE && steps < PINSIGHT_PATH_DEEPEST;
         path = model->paths[path].parent, steps++) {
        const uint32_t number = model->paths[path].function;

        if (number == PINSIGHT_NONE || !model->functions[number].known)
            continue;
        if (pinsight_function_is_users(model, number))
            return false;
        if (pinsight_importlib_file(
                pinsight_strings_text(&model->strings, model->functions[number].file)))
            return true;
    }
    return false;
}

/* Collections that interrupted one line of the user's. */
struct struck {
    uint32_t function; /* or PINSIGHT_NONE */
    int32_t line;
    uint64_t ns, times;
};

/* Returns the path of the user's line that made the objects of a collection. CPython 3.12 and later
 * collect where a function starts, before its first statement. The call made the objects then, as
 * the call of a class does. A function such as <lambda> has its statements in its first line. */
static uint32_t maker_of(const struct pinsight_model *model, uint32_t path) {
    const uint32_t at = pinsight_path_users_line(model, path);
    const struct pinsight_path *users = at == PINSIGHT_NONE ? NULL : &model->paths[at];

    if (!users || users->parent == PINSIGHT_NONE || users->function == PINSIGHT_NONE ||
        users->line != model->functions[users->function].line ||
        *pinsight_function_name(model, users->function) == '<')
        return at;
    return pinsight_path_users_line(model, users->parent);
}

/* Returns the line with the most time. Sets *all_times to the number of collections outside
 * imports, also of those without a known line, and *imports_ns to the time of those of imports. */
static struct struck most_struck(const struct pinsight_model *model, uint64_t *all_times,
                                 uint64_t *imports_ns) {
    struct struck *lines = pinsight_calloc(model->garbage_count + 1, sizeof(*lines)), most = {0};
    struct pinsight_map map = {0};
    uint32_t count = 0;

    most.function = PINSIGHT_NONE;
    *all_times = *imports_ns = 0;
    for (size_t i = 0; i < model->garbage_count; i++) {
        const struct pinsight_garbage *garbage = &model->garbage[i];
        if (is_of_import(model, garbage->path)) {
            *imports_ns += garbage->self_ns;
            continue;
        }
        const uint32_t path = maker_of(model, garbage->path);
        const uint32_t function =
            path == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[path].function;
        const int32_t line = path == PINSIGHT_NONE ? 0 : model->paths[path].line;
        const uint32_t at = pinsight_map_number(&map, function, (uint32_t)line, 0, count);
        uint64_t times = 0;

        for (size_t generation = 0; generation < PINSIGHT_GENERATIONS; generation++)
            times += garbage->count[generation];
        count += at == count;
        lines[at].function = function;
        lines[at].line = line;
        lines[at].ns += garbage->total_ns;
        lines[at].times += times;
        *all_times += times;
        if (function != PINSIGHT_NONE && (most.function == PINSIGHT_NONE || lines[at].ns > most.ns))
            most = lines[at];
    }
    pinsight_map_clear(&map);
    free(lines);
    return most;
}

void pinsight_rule_garbage(const struct pinsight_report *report,
                           struct pinsight_insights *insights) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_model *model = report->model;
    uint64_t times, imports_ns;
    const struct struck most = most_struck(model, &times, &imports_ns);
    const uint64_t ns = pinsight_time_rest(
        pinsight_time_rest(view->gc_ns, view->gc_ready_ns) + view->counted_gc.self_ns, imports_ns);

    /* The time ready without a processor is unknown within a collection that was counted. */
    const uint64_t whole = pinsight_time_rest(whole_of(report), view->gc_ready_ns) +
                           (view->counted_gc.self_ns ? pinsight_insights_ready(report) : 0);
    struct pinsight_insight insight = {
        .rule = "garbage", .ns = ns, .of_ns = whole, .within_ns = report->whole_ns, .option = "gc"};
    char *place = NULL;

    if ((double)ns < LEAST_SHARE * (double)whole)
        return;
    if (most.function != PINSIGHT_NONE) {
        insight.file = pinsight_report_string(report, model->functions[most.function].file);
        insight.line = most.line;
        place = pinsight_insights_place(insight.file, insight.line);
    }
    pinsight_insights_add(
        insights, insight, "collections of garbage take %s, %s %% of all time, %s time%s%s%s%s%s",
        pinsight_units_time(ns).text, pinsight_units_percent(ns, report->whole_ns).text,
        pinsight_units_count(times).text, times == 1 ? "" : "s", place ? "; most strike " : "",
        place ? pinsight_function_name(model, most.function) : "", place ? " " : "",
        place ? place : "");
    free(place);
}
