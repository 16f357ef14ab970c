/* Writes the tables of a report for a page. */
#include "views/report/tables.h"
#include "base/memory.h"
#include "base/text.h"
#include "views/page/page.h"
#include "views/report/attribution.h"
#include "views/report/bar.h"
#include "views/report/not_recorded.h"
#include "views/report/section.h"
#include "views/report/sections.h"

#include <stdlib.h>
#include <string.h>

/* The most rows of a section's table. */
#define MOST_ROWS 2000

static void add_notice(void *data, int level, const char *sentence) {
    struct pinsight_json *json = data;

    pinsight_json_open(json, NULL, '{');
    pinsight_json_bool(json, "wrong", level == PINSIGHT_NOTICE_WRONG);
    pinsight_json_bool(json, "loss", pinsight_notice_is_loss(level));
    pinsight_json_bool(json, "detail", level == PINSIGHT_NOTICE_DETAIL);
    pinsight_json_string(json, "text", sentence);
    pinsight_json_close(json, '}');
}

/* Writes the user's functions like the summary. The last row has no name, and stands for libraries.
 * Shares are of `whole_ns`. `threads` leaves out the idle ones. */
static void write_answer(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_attribution_view *view = report->attribution;
    struct pinsight_attribution_function others = {0};

    pinsight_json_open(json, "answer", '{');
    pinsight_json_unsigned(json, "whole_ns", report->whole_ns);
    pinsight_json_unsigned(json, "threads", report->thread_count - view->idle.threads);
    pinsight_json_open(json, "functions", '[');
    for (size_t i = 0; i <= view->function_count; i++) {
        const struct pinsight_attribution_function *function =
            i < view->function_count ? &view->functions[i] : &others;
        const struct pinsight_attribution_call *call;

        if (function != &others && !function->users) {
            pinsight_attribution_function_add(&others, function);
            continue;
        }
        call = function->users ? pinsight_attribution_most(view, function) : NULL;
        pinsight_json_open(json, NULL, '{');
        pinsight_json_text(json, "name", function->name);
        pinsight_json_text(json, "file", function->file);
        pinsight_json_signed(json, "line", function->line);
        pinsight_json_unsigned(json, "running_ns", pinsight_attribution_running_ns(function));
        pinsight_json_unsigned(json, "waiting_ns", pinsight_attribution_waited_ns(function));
        pinsight_json_unsigned(json, "calls", function->calls);
        pinsight_json_unsigned(json, "total_ns", function->total_ns);
        if (function->calls)
            pinsight_json_unsigned(json, "mean_ns", function->sum_ns / function->calls);
        if (function->has_max)
            pinsight_json_unsigned(json, "max_ns", function->max_ns);
        pinsight_json_text(json, "callee", call ? call->callee : NULL);
        pinsight_json_signed(json, "callee_at", call ? call->line : 0);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    pinsight_json_close(json, '}');
}

/* Writes the members that the report's own JSON has only on request, and the lines of its head. */
static void write_sections(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_section *section;

    pinsight_json_open(json, NULL, '{');
    write_answer(report, json);
    pinsight_bar_json(report, json);
    pinsight_json_open(json, "notices", '[');
    pinsight_not_recorded_report(report, add_notice, json);
    pinsight_json_close(json, ']');
    pinsight_report_list(report, json, &pinsight_rank_rows_table, 0);
    for (size_t i = 0; (section = pinsight_section_at(i)); i++)
        if (!section->seen || section->seen(report))
            pinsight_section_json(section, report, json, MOST_ROWS);
    pinsight_json_close(json, '}');
}

void page_report_write(const struct pinsight_report *report, FILE *out) {
    struct pinsight_json json = {.out = out, .compact = true};

    fputs("{\"report\":", out);
    pinsight_report_json(report, out);
    fputs(",\"sections\":", out);
    write_sections(report, &json);
    fputs("}", out);
}
