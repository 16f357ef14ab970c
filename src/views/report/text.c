/* Writes the report as text: one screen by default. */
#include "views/domain.h"
#include "views/insights/insights.h"
#include "views/kit/screen.h"
#include "views/report/attribution.h"
#include "views/report/control.h"
#include "views/report/head.h"
#include "views/report/imports.h"
#include "views/report/report.h"
#include "views/report/section.h"
#include "views/report/sections.h"
#include "views/report/tables.h"
#include "views/report/tree.h"

/* Lines outside the tables' rows: heads, titles, unrecorded things. */
#define OTHER_LINES 21

/* Returns how many rows a table gets. `share` is its part of every 10 rows of the screen. */
static size_t rows(const struct pinsight_report *report, FILE *out, unsigned share) {
    unsigned height = pinsight_screen_height(out);
    unsigned room = height > OTHER_LINES + 10 ? height - OTHER_LINES : height ? 10 : 24;

    if (report->options.limit >= 0)
        return (size_t)report->options.limit;
    return room * share / 10;
}

static void print_domains(const struct pinsight_report *report, FILE *out, size_t limit) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->brief)
            view_domains[i]->brief(report, out, limit);
}

static bool has_users(const struct pinsight_report *report) {
    return !report->mixed && pinsight_attribution_has_users(report->attribution);
}

/* Writes the answer of the summary: the insights, and the user's functions. */
static void print_answer(const struct pinsight_report *report, FILE *out, size_t limit) {
    pinsight_insights_print(report, out, limit ? PINSIGHT_INSIGHTS_SHOWN : SIZE_MAX);
    if (has_users(report))
        pinsight_section_attribution_brief(report, out, limit);
}

/* Writes a row for each package, if the user has code besides them. */
static void print_modules(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (has_users(report) && report->group_count > 1)
        pinsight_section_print(report, out, &pinsight_module_table, limit);
}

static void print_imports(const struct pinsight_report *report, FILE *out, size_t limit) {
    pinsight_section_imports_brief(report, out);
}

/* A part of the report: a table, or the output of a function. `share` is its part of every 10
 * rows. */
struct report_part {
    const struct pinsight_table *table;
    void (*print)(const struct pinsight_report *report, FILE *out, size_t limit);
    unsigned share;
};

/* The parts by the kind of rows; and the parts that follow in all cases. */
static const struct report_part by_functions[] = {{.print = print_answer, .share = 5},
                                                  {.print = print_modules, .share = 3},
                                                  {.print = pinsight_section_functions, .share = 5},
                                                  {&pinsight_c_call_table, .share = 3},
                                                  {.print = print_domains, .share = 2},
                                                  {.print = pinsight_section_threads, .share = 2},
                                                  {.share = 0}};
static const struct report_part by_modules[] = {{&pinsight_module_table, .share = 10},
                                                {.share = 0}};
static const struct report_part by_files[] = {{&pinsight_file_table, .share = 10}, {.share = 0}};
static const struct report_part by_threads[] = {{.print = pinsight_section_threads, .share = 10},
                                                {.print = pinsight_section_processes, .share = 10},
                                                {.share = 0}};
static const struct report_part by_ranks[] = {{.print = pinsight_section_rank_rows, .share = 10},
                                              {.share = 0}};
static const struct report_part *const tables[] = {
    [PINSIGHT_VIEW_FUNCTION] = by_functions, [PINSIGHT_VIEW_MODULE] = by_modules,
    [PINSIGHT_VIEW_FILE] = by_files,         [PINSIGHT_VIEW_THREAD] = by_threads,
    [PINSIGHT_VIEW_RANK] = by_ranks,
};
static const struct report_part others[] = {{.print = print_imports},
                                            {.print = pinsight_section_windows, .share = 3},
                                            {.print = pinsight_section_changes, .share = 4},
                                            {.share = 0}};

static void print_parts(const struct pinsight_report *report, FILE *out,
                        const struct report_part *parts) {
    for (; parts->table || parts->print; parts++) {
        size_t limit = rows(report, out, parts->share);

        if (parts->table)
            pinsight_section_print(report, out, parts->table, limit);
        else
            parts->print(report, out, limit);
    }
}

int pinsight_report_text(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_section *section = report->options.section;

    pinsight_head_print(report, out, NULL);
    if (section) {
        pinsight_section_screen(section, report, out, rows(report, out, section->share));
    } else if (report->options.tree) {
        pinsight_section_tree(report, out, 0);
    } else {
        print_parts(report, out, tables[report->options.by]);
        print_parts(report, out, others);
    }
    pinsight_foot_print(report, out);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
