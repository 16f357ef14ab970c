/* Finds an array that grows value by value, and copies all its values in each call. */
#include "base/memory.h"
#include "base/units.h"
#include "views/insights/insights.h"
#include "views/report/attribution.h"

#include <stdlib.h>
#include <string.h>

/* See docs/insights.md. */
#define LEAST_CALLS 100
#define LEAST_NS 20000000
#define LEAST_SHARE 0.1

/* Callables that grow an array. A Python function is known by a part of its file. A C callable, or
 * a dispatcher of NumPy, is known by the module before its name. */
static const struct {
    const char *name, *module, *file;
} growing[] = {
    {"append", "numpy", "/numpy/lib/"},
    {"insert", "numpy", "/numpy/lib/"},
    {"concat", "pandas", "/pandas/core/reshape/concat.py"},
};

/* Returns the callable of the table that a call is for, such as "append", and its module. Returns
 * NULL if there is none. */
static const char *what_grows(const struct pinsight_attribution_call *call, const char **module) {
    const char *last = strrchr(call->callee, '.');

    for (size_t i = 0; i < sizeof(growing) / sizeof(growing[0]); i++) {
        const size_t length = strlen(growing[i].module);

        if (strcmp(last ? last + 1 : call->callee, growing[i].name) != 0)
            continue;
        if (call->callee_file ? strstr(call->callee_file, growing[i].file) != NULL
                              : !strncmp(call->callee, growing[i].module, length) &&
                                    call->callee[length] == '.') {
            *module = growing[i].module;
            return growing[i].name;
        }
    }
    return NULL;
}

void pinsight_rule_growth(const struct pinsight_report *report,
                          struct pinsight_insights *insights) {
    const struct pinsight_attribution_view *view = report->attribution;
    const double all = (double)pinsight_insights_whole(report);
    const struct pinsight_attribution_call *worst = NULL;
    const char *name = NULL, *module = NULL, *file;
    uint64_t most = 0;
    char *place;

    for (size_t i = 0; i < view->call_count; i++) {
        const struct pinsight_attribution_call *call = &view->calls[i];
        const uint64_t ns = pinsight_time_rest(call->ns, call->ready_ns);

        if (call->calls >= LEAST_CALLS && view->functions[call->function].users && call->line &&
            ns > most && ns >= LEAST_NS && (double)ns >= LEAST_SHARE * all &&
            what_grows(call, &module)) {
            worst = call;
            most = ns;
        }
    }
    if (!worst)
        return;
    name = what_grows(worst, &module);
    file = view->functions[worst->function].file;
    if (pinsight_insights_reported(insights, file, worst->line))
        return;
    place = pinsight_insights_place(file, worst->line);
    pinsight_insights_add(
        insights,
        (struct pinsight_insight){
            .rule = "growth", .file = file, .line = worst->line, .ns = most, .option = "tree"},
        "%s grows by %s.%s, which copies all that is there, %s times: %s", place, module, name,
        pinsight_units_count(worst->calls).text, pinsight_units_time(most).text);
    free(place);
}
