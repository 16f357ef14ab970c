/* Tables of functions, C calls, modules and files. */
#include "views/sections.h"

#include "reader/mem.h"
#include "views/cells.h"
#include "views/table.h"
#include "views/text.h"
#include "views/units.h"

#include <stdlib.h>
#include <string.h>

/* Below these widths a column is left out: first the shortest time, then the longest. */
#define WIDTH_FOR_MIN 110
#define WIDTH_FOR_MAX 90
#define WIDTH_FOR_FOLDERS 130

static bool has_min(const struct pinsight_report *report) {
    return report->options.width >= WIDTH_FOR_MIN && !report->only_counted;
}

static bool has_max(const struct pinsight_report *report) {
    return report->options.width >= WIDTH_FOR_MAX && !report->only_counted;
}

static void time_columns(const struct pinsight_report *report, struct pinsight_table *table) {
    pinsight_table_column(table, "self", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "total", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, report->mixed ? "traced" : "calls", PINSIGHT_RIGHT,
                          PINSIGHT_PLAIN);
    if (report->mixed)
        pinsight_table_column(table, "counted", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(table, "mean", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (has_min(report))
        pinsight_table_column(table, "min", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (has_max(report))
        pinsight_table_column(table, "max", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
}

static void range_cell(struct pinsight_table *table, const struct pinsight_times *times,
                       uint64_t ns) {
    if (times->has_range)
        pinsight_time_cell(table, ns);
    else
        pinsight_table_cell(table, pinsight_strdup("-"));
}

static void time_cells(const struct pinsight_report *report, struct pinsight_table *table,
                       const struct pinsight_times *times) {
    pinsight_time_cell(table, times->self_ns);
    pinsight_share_cell(table, times->self_ns, report->python_ns + report->c_ns);
    pinsight_time_cell(table, times->total_ns);
    pinsight_number_cell(table, times->calls - (report->mixed ? times->counted_calls : 0));
    if (report->mixed)
        pinsight_number_cell(table, times->counted_calls);
    pinsight_time_cell(table, times->mean_ns);
    if (has_min(report))
        range_cell(table, times, times->min_ns);
    if (has_max(report))
        range_cell(table, times, times->max_ns);
}

void pinsight_section_functions(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_table table = pinsight_section_table(report);

    pinsight_section_start(report, out, "Python functions", report->function_count, limit);
    if (!report->function_count) {
        fputs("   none\n", out);
        return;
    }
    time_columns(report, &table);
    pinsight_table_column(&table, "function", PINSIGHT_FLEXIBLE, PINSIGHT_PYTHON);
    pinsight_table_column(&table, "where", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < pinsight_rows_shown(report->function_count, limit); i++) {
        const struct pinsight_function_row *row = &report->functions[i];

        time_cells(report, &table, &row->times);
        pinsight_table_cell(&table, pinsight_text_clean(row->name));
        pinsight_table_cell(&table, pinsight_text_place(row->file, row->line));
    }
    pinsight_table_print(&table, out);
}

/* Where a C call stands: on a narrow screen without the folders. */
static char *call_place(const struct pinsight_report *report, const struct pinsight_c_row *row) {
    const char *file = row->caller_file;
    const char *slash = file ? strrchr(file, '/') : NULL;

    if (slash && slash[1] && report->options.width < WIDTH_FOR_FOLDERS)
        file = slash + 1;
    return pinsight_text_place(file, row->caller_line);
}

void pinsight_section_c_calls(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_table table = pinsight_section_table(report);

    if (!report->c_call_count)
        return;
    pinsight_section_start(report, out, "Calls from Python into C", report->c_call_count, limit);
    time_columns(report, &table);
    pinsight_table_column(&table, "C callable", PINSIGHT_FLEXIBLE, PINSIGHT_C);
    pinsight_table_column(&table, "called by", PINSIGHT_FLEXIBLE, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "at", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < pinsight_rows_shown(report->c_call_count, limit); i++) {
        const struct pinsight_c_row *row = &report->c_calls[i];

        time_cells(report, &table, &row->times);
        pinsight_table_cell(&table, pinsight_text_clean(row->name));
        pinsight_table_cell(&table, pinsight_text_clean(row->caller ? row->caller : ""));
        pinsight_table_cell(&table, call_place(report, row));
    }
    pinsight_table_print(&table, out);
}

void pinsight_section_groups(const struct pinsight_report *report, FILE *out, size_t limit) {
    bool modules = report->options.by == PINSIGHT_VIEW_MODULE;
    uint64_t whole = report->python_ns + report->c_ns;
    struct pinsight_table table = pinsight_section_table(report);

    pinsight_section_start(report, out, modules ? "Modules" : "Files", report->group_count, limit);
    pinsight_table_column(&table, "self", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "Python", PINSIGHT_RIGHT, PINSIGHT_PYTHON);
    pinsight_table_column(&table, "C", PINSIGHT_RIGHT, PINSIGHT_C);
    pinsight_table_column(&table, "total", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "C calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, modules ? "module" : "file", PINSIGHT_FLEXIBLE, PINSIGHT_PLAIN);
    for (size_t i = 0; i < pinsight_rows_shown(report->group_count, limit); i++) {
        const struct pinsight_group_row *row = &report->groups[i];
        uint64_t self = row->self_ns + row->c_self_ns;

        pinsight_time_cell(&table, self);
        pinsight_share_cell(&table, self, whole);
        pinsight_time_cell(&table, row->self_ns);
        pinsight_time_cell(&table, row->c_self_ns);
        pinsight_time_cell(&table, row->total_ns);
        pinsight_number_cell(&table, row->calls);
        pinsight_number_cell(&table, row->c_calls);
        if (!row->name[0])
            pinsight_table_cell(&table, pinsight_strdup("(not known)"));
        else
            pinsight_table_cell(&table, modules ? pinsight_text_clean(row->name)
                                                : pinsight_text_place(row->name, 0));
    }
    pinsight_table_print(&table, out);
}

/* "solver.py:77", or "3 lines" where several call it. */
static char *callers_of(const struct pinsight_c_row *row) {
    if (row->sites > 1)
        return pinsight_format("%u lines", row->sites);
    return pinsight_text_place(row->caller_file, row->caller_line);
}

void pinsight_section_callees(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_table table = pinsight_section_table(report);

    if (!report->callee_count)
        return;
    pinsight_section_start(report, out, "Calls from Python into C", report->callee_count, limit);
    time_columns(report, &table);
    pinsight_table_column(&table, "C callable", PINSIGHT_FLEXIBLE, PINSIGHT_C);
    pinsight_table_column(&table, "called at", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < pinsight_rows_shown(report->callee_count, limit); i++) {
        const struct pinsight_c_row *row = &report->callees[i];

        time_cells(report, &table, &row->times);
        pinsight_table_cell(&table, pinsight_text_clean(row->name));
        pinsight_table_cell(&table, callers_of(row));
    }
    pinsight_table_print(&table, out);
}
