/* The call tree on a screen. */
#include "reader/mem.h"
#include "views/head.h"
#include "views/sections.h"
#include "views/table.h"
#include "views/text.h"
#include "views/tree.h"
#include "views/units.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_DEPTH 12
#define DEFAULT_THRESHOLD 1.0
/* Deeper lines are not moved further to the right. */
#define MOST_INDENT 24

/* The lines that lead to a node. open tells of each level whether another branch follows there. */
static char *branch(const struct pinsight_tree_line *line, const bool *open) {
    size_t depth = line->depth < MOST_INDENT ? line->depth : MOST_INDENT;
    char *text = pinsight_calloc(depth * 8 + 16, 1);

    for (size_t level = 1; level < depth; level++)
        strcat(text, open[level] ? "│ " : "  ");
    if (depth)
        strcat(text, line->last ? "└ " : "├ ");
    return text;
}

static void add_line(const struct pinsight_report *report, struct pinsight_table *table,
                     const struct pinsight_tree *tree, const struct pinsight_tree_line *line,
                     const bool *open) {
    const struct pinsight_node *node = &report->model->nodes[line->node];
    const char *file;
    int32_t number;
    const char *name = pinsight_tree_name(report, line->node, &file, &number);
    char buffer[PINSIGHT_UNITS_SIZE];
    char *clean = pinsight_text_clean(name);
    char *lead = branch(line, open);

    pinsight_table_cell(table, pinsight_strdup(pinsight_units_time(buffer, node->total_ns)));
    pinsight_table_cell(
        table, pinsight_strdup(pinsight_units_percent(buffer, node->total_ns, tree->whole_ns)));
    pinsight_table_cell(table, pinsight_strdup(pinsight_units_time(buffer, node->self_ns)));
    pinsight_table_cell(table, pinsight_strdup(pinsight_units_count(buffer, node->calls)));
    pinsight_table_cell(table, pinsight_format("%s%s%s%s", lead, clean,
                                               node->kind == PINSIGHT_C_CALL ? " (C)" : "",
                                               line->cut ? " …" : ""));
    pinsight_table_cell(table, file ? pinsight_text_place(file, number) : pinsight_strdup(""));
    free(clean);
    free(lead);
}

void pinsight_section_tree(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_report_options *options = &report->options;
    double threshold = options->threshold < 0 ? DEFAULT_THRESHOLD : options->threshold;
    int64_t depth = options->depth < 0 ? DEFAULT_DEPTH : options->depth;
    struct pinsight_tree tree = pinsight_tree_make(report, depth, threshold);
    struct pinsight_table table = {.colour = options->colour, .width = options->width};
    bool open[MOST_INDENT + 1] = {false};
    char *remark;
    size_t rows = tree.count;

    if (options->limit > 0 && (uint64_t)options->limit < rows)
        rows = (size_t)options->limit;
    remark = depth ? pinsight_format("from %g %% on, %lld levels (--threshold, --depth)", threshold,
                                     (long long)depth)
                   : pinsight_format("from %g %% on (--threshold)", threshold);
    pinsight_head_section(report, out, "Call tree", remark);
    pinsight_table_column(&table, "total", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "self", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "call", PINSIGHT_FLEXIBLE, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "where", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
    for (size_t i = 0; i < rows; i++) {
        const struct pinsight_tree_line *line = &tree.lines[i];

        if (line->depth <= MOST_INDENT)
            open[line->depth] = !line->last;
        add_line(report, &table, &tree, line, open);
    }
    pinsight_table_print(&table, out);
    free(remark);
    free(tree.lines);
}
