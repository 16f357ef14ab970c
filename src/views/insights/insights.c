/* The list of insights, and its forms. */
#include "views/insights/insights.h"

#include "base/grid.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/run_info.h"
#include "base/text.h"
#include "reader/waits.h"
#include "views/domain.h"
#include "views/report/attribution.h"
#include "views/report/head.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static pinsight_insight_rule *const rules[] = {
    pinsight_rule_slow_call,  pinsight_rule_exceptions, pinsight_rule_growth,
    pinsight_rule_many_calls, pinsight_rule_imports,    pinsight_rule_own_imports,
    pinsight_rule_garbage,    pinsight_rule_overhead,   pinsight_rule_ranks,
    pinsight_rule_starved,    pinsight_rule_processors, NULL,
};
/* Rules that leave out a line that already has an insight. */
static pinsight_insight_rule *const last_rules[] = {pinsight_rule_chores, NULL};

/* Sums the time that all threads waited, and were ready, in Python, C and domains. */
static void sum_away(const struct pinsight_attribution_view *view, uint64_t *waiting,
                     uint64_t *ready) {
    struct pinsight_attribution_work wall = pinsight_attribution_wall(view->all);

    *waiting =
        pinsight_attribution_waiting_ns(&view->away) + wall.wall_waiting_ns + wall.wall_away_ns;
    *ready = view->away.ready_ns + wall.wall_ready_ns;
}

/* For counted calls: returns the time in callables that always wait, by their names. The threads'
 * own waiting time is left out. */
static uint64_t counted_waiting(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    uint64_t ns = 0;

    for (size_t i = 0; report->only_counted && i < model->callee_count; i++) {
        const char *name =
            model->callees[i].known ? pinsight_callee_name(model, (uint32_t)i) : NULL;

        if (name && pinsight_wait_of_name(name) != PINSIGHT_WAIT_OTHER &&
            !(report->by_path && pinsight_wait_is_all(name)))
            ns += model->callees[i].counted.self_ns;
    }
    return ns;
}

/* Returns a time without a part, but at least 1. */
static uint64_t rest_of(uint64_t ns, uint64_t part) {
    return ns > part ? ns - part : 1;
}

uint64_t pinsight_insights_whole(const struct pinsight_report *report) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_attribution_import *imports = &view->all_imports;
    uint64_t waiting, ready, start_up = 0;

    sum_away(view, &waiting, &ready);
    for (size_t d = 0; d < READER_DOMAINS; d++)
        if (view_domains[d]->start_up)
            start_up += view_domains[d]->start_up(report);
    return rest_of(report->whole_ns, pinsight_attribution_import_ns(imports) + start_up + ready -
                                         imports->away.ready_ns);
}

uint64_t pinsight_insights_running(const struct pinsight_report *report) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_attribution_import *imports = &view->all_imports;
    uint64_t waiting, ready;

    sum_away(view, &waiting, &ready);
    waiting += counted_waiting(report);
    return rest_of(view->recorded_ns, waiting + ready + pinsight_attribution_import_ns(imports) -
                                          pinsight_attribution_away_ns(&imports->away));
}

uint64_t pinsight_insights_ready(const struct pinsight_report *report) {
    uint64_t waiting, ready;

    sum_away(report->attribution, &waiting, &ready);
    return ready;
}

uint64_t pinsight_insights_unknown(const struct pinsight_report *report) {
    const struct pinsight_attribution_view *view = report->attribution;
    const struct pinsight_run_info *run = report->options.chunk ? NULL : report->options.run;
    uint64_t waiting, ready;

    sum_away(view, &waiting, &ready);
    return pinsight_time_rest(pinsight_attribution_worked_ns(view),
                              waiting + ready + (run ? run->processor_ns : 0));
}

bool pinsight_insights_reported(const struct pinsight_insights *insights, const char *file,
                                int32_t line) {
    for (size_t i = 0; i < insights->count; i++)
        if (insights->list[i].file && insights->list[i].line == line &&
            !strcmp(insights->list[i].file, file))
            return true;
    return false;
}

char *pinsight_insights_place(const char *file, int32_t line) {
    return pinsight_text_place(pinsight_text_file(file), line);
}

void pinsight_insights_add(struct pinsight_insights *insights, struct pinsight_insight insight,
                           const char *format, ...) {
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    insight.text = pinsight_text_clean(text ? text : "");
    free(text);
    *PINSIGHT_ADD(insights->list, insights->count, insights->capacity) = insight;
}

static void apply(const struct pinsight_report *report, pinsight_insight_rule *const *of,
                  struct pinsight_insights *insights) {
    for (; of && *of; of++)
        (*of)(report, insights);
}

/* Sorts the insight on PInsight's own cost to the end. */
static bool is_cost(const struct pinsight_insight *insight) {
    return !strcmp(insight->rule, "overhead");
}

ORDER(by_share, struct pinsight_insight,
      BY(is_cost(a), is_cost(b)) ?: BY(b->share, a->share) ?: strcmp(a->text, b->text))

struct pinsight_insights pinsight_insights_make(const struct pinsight_report *report) {
    struct pinsight_insights insights = {0};

    apply(report, rules, &insights);
    for (size_t d = 0; d < READER_DOMAINS; d++)
        apply(report, view_domains[d]->rules, &insights);
    apply(report, last_rules, &insights);
    for (size_t i = 0; i < insights.count; i++) {
        struct pinsight_insight *insight = &insights.list[i];
        uint64_t of = insight->of_ns ? insight->of_ns : pinsight_insights_whole(report);

        insight->share = (double)pinsight_least(insight->ns, of) / (double)of;
    }
    if (insights.count)
        PINSIGHT_SORT(insights.list, insights.count, by_share);
    return insights;
}

void pinsight_insights_clear(struct pinsight_insights *insights) {
    for (size_t i = 0; i < insights->count; i++)
        free(insights->list[i].text);
    free(insights->list);
    *insights = (struct pinsight_insights){0};
}

void pinsight_insights_print(const struct pinsight_report *report, FILE *out, size_t most) {
    struct pinsight_insights insights = pinsight_insights_make(report);

    if (insights.count)
        pinsight_head_section(report, out, "What stands out", NULL);
    for (size_t i = 0; i < insights.count && i < most; i++) {
        const struct pinsight_insight *insight = &insights.list[i];

        pinsight_paragraph(out, report->options.colour, PINSIGHT_PLAIN, report->options.width,
                           " • ", "%s%s%s%s", insight->text, insight->option ? " (--" : "",
                           insight->option ? insight->option : "", insight->option ? ")" : "");
    }
    pinsight_insights_clear(&insights);
}

void pinsight_insights_json(const struct pinsight_report *report, struct pinsight_json *json) {
    struct pinsight_insights insights = pinsight_insights_make(report);

    pinsight_json_open(json, "stands_out", '[');
    for (size_t i = 0; i < insights.count; i++) {
        const struct pinsight_insight *insight = &insights.list[i];

        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "rule", insight->rule);
        pinsight_json_string(json, "text", insight->text);
        pinsight_json_text(json, "file", insight->file);
        if (insight->file)
            pinsight_json_signed(json, "line", insight->line);
        pinsight_json_unsigned(json, "ns", insight->ns);
        if (insight->within_ns)
            pinsight_json_unsigned(json, "within_ns", insight->within_ns);
        if (insight->others_ns)
            pinsight_json_unsigned(json, "others_ns", insight->others_ns);
        pinsight_json_real(json, "share", insight->share);
        pinsight_json_text(json, "option", insight->option);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    pinsight_insights_clear(&insights);
}
