/* The trees of imports on a screen. */
#include "reader/mem.h"
#include "views/branches.h"
#include "views/cells.h"
#include "views/head.h"
#include "views/imports.h"
#include "views/table.h"
#include "views/text.h"
#include "views/units.h"

#include <inttypes.h>
#include <stdlib.h>

#define DEFAULT_DEPTH 12
#define DEFAULT_THRESHOLD 1.0
/* Columns that the numbers before a name are given. */
#define NUMBERS_WIDTH 28

static void add_line(const struct pinsight_report *report, struct pinsight_table *table,
                     struct pinsight_branches *branches, const struct pinsight_import_tree *tree,
                     const struct pinsight_tree_line *line) {
    const struct pinsight_import *import = &report->model->imports[tree->nodes[line->node]];
    char *lead = pinsight_branches_next(branches, line);
    size_t taken = NUMBERS_WIDTH + pinsight_text_width(lead);
    char mark[96] = "";
    char *name;

    if (import->count > 1 && import->failed)
        snprintf(mark, sizeof(mark), " (%" PRIu64 " times, %" PRIu64 " failed)%s", import->count,
                 import->failed, line->cut ? " …" : "");
    else if (import->count > 1)
        snprintf(mark, sizeof(mark), " (%" PRIu64 " times)%s", import->count,
                 line->cut ? " …" : "");
    else
        snprintf(mark, sizeof(mark), "%s%s", import->failed ? " (failed)" : "",
                 line->cut ? " …" : "");
    name =
        pinsight_branches_name(pinsight_strings_text(&report->model->strings, import->module), mark,
                               report->options.width > taken ? report->options.width - taken : 0);
    pinsight_time_cell(table, import->total_ns);
    pinsight_share_cell(table, import->total_ns, tree->tree.whole_ns);
    pinsight_time_cell(table, import->self_ns);
    pinsight_table_cell(table, pinsight_format("%s%s", lead, name));
    free(lead);
    free(name);
}

/* "Imports", or "Imports of process 4711" where there are several. */
static void start(const struct pinsight_report *report, FILE *out,
                  const struct pinsight_import_tree *tree, double threshold, int64_t depth) {
    char count[PINSIGHT_UNITS_SIZE], time[PINSIGHT_UNITS_SIZE], levels[48] = "";
    char *title = report->model->process_count - report->model->adopted_count > 1
                      ? pinsight_format("Imports of process %" PRId64, tree->process->pid)
                      : pinsight_strdup("Imports");
    char *remark;

    if (depth)
        snprintf(levels, sizeof(levels), ", %lld levels", (long long)depth);
    remark = pinsight_format("%s in %s, from %g %% on%s (--threshold%s)",
                             pinsight_units_count(count, tree->count),
                             pinsight_units_time(time, tree->tree.whole_ns), threshold, levels,
                             depth ? ", --depth" : "");
    pinsight_head_section(report, out, title, remark);
    free(title);
    free(remark);
}

void pinsight_section_imports(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_report_options *options = &report->options;
    double threshold = options->threshold < 0 ? DEFAULT_THRESHOLD : options->threshold;
    int64_t depth = options->depth < 0 ? DEFAULT_DEPTH : options->depth;
    struct pinsight_import_trees trees = pinsight_imports_make(report, depth, threshold);

    if (!trees.count) {
        pinsight_head_section(report, out, "Imports", NULL);
        pinsight_paragraph(out, options->colour, PINSIGHT_PLAIN, options->width, "   ",
                           pinsight_imports_none(report));
    }
    for (size_t t = 0; t < trees.count; t++) {
        const struct pinsight_import_tree *tree = &trees.trees[t];
        struct pinsight_table table = pinsight_section_table(report);
        struct pinsight_branches branches = pinsight_branches_start(options->width, NUMBERS_WIDTH);

        start(report, out, tree, threshold, depth);
        pinsight_table_column(&table, "total", PINSIGHT_RIGHT, PINSIGHT_BOLD);
        pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
        pinsight_table_column(&table, "self", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
        pinsight_table_column(&table, "module", PINSIGHT_LEFT, PINSIGHT_PLAIN);
        for (size_t i = 0; i < pinsight_rows_shown(tree->tree.count,
                                                   options->limit > 0 ? (size_t)options->limit : 0);
             i++)
            add_line(report, &table, &branches, tree, &tree->tree.lines[i]);
        pinsight_table_print(&table, out);
    }
    pinsight_imports_free(&trees);
}

void pinsight_section_imports_brief(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_model *model = report->model;
    char count[PINSIGHT_UNITS_SIZE], time[PINSIGHT_UNITS_SIZE];
    uint64_t whole_ns = 0;
    char *remark;

    if (!model->import_count)
        return;
    for (size_t i = 0; i < model->import_count; i++)
        if (model->imports[i].parent == PINSIGHT_NONE)
            whole_ns += model->imports[i].total_ns;
    remark = pinsight_format("%s in %s (--imports shows them)",
                             pinsight_units_count(count, model->import_count),
                             pinsight_units_time(time, whole_ns));
    pinsight_head_section(report, out, "Imports", remark);
    free(remark);
}
