/* The call tree on a screen. */
#include "reader/mem.h"
#include "views/branches.h"
#include "views/cells.h"
#include "views/head.h"
#include "views/sections.h"
#include "views/table.h"
#include "views/text.h"
#include "views/tree.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_DEPTH 12
#define DEFAULT_THRESHOLD 1.0
/* Columns that the numbers and the place at a line's end are given. */
#define NUMBERS_WIDTH 36
#define PLACE_WIDTH 26

static char *place_of(const char *file, int32_t line) {
    char *place = file ? pinsight_text_place(file, line) : pinsight_strdup("");

    place = pinsight_realloc(place, strlen(place) + 4, 1);
    pinsight_text_cut(place, PLACE_WIDTH);
    return place;
}

static void add_line(const struct pinsight_report *report, struct pinsight_table *table,
                     struct pinsight_branches *branches, const struct pinsight_tree *tree,
                     const struct pinsight_tree_line *line) {
    const struct pinsight_node *node = &report->model->nodes[line->node];
    const char *file;
    int32_t number;
    const char *name = pinsight_tree_name(report, line->node, &file, &number);
    char *lead = pinsight_branches_next(branches, line);
    size_t taken = NUMBERS_WIDTH + PLACE_WIDTH + pinsight_text_width(lead);
    char mark[16];
    char *call;

    snprintf(mark, sizeof(mark), "%s%s", node->kind == PINSIGHT_C_CALL ? " (C)" : "",
             line->cut ? " …" : "");
    call = pinsight_branches_name(
        name, mark, report->options.width > taken ? report->options.width - taken : 0);
    pinsight_time_cell(table, node->total_ns);
    pinsight_share_cell(table, node->total_ns, tree->whole_ns);
    pinsight_time_cell(table, node->self_ns);
    pinsight_number_cell(table, node->calls);
    pinsight_table_cell(table, pinsight_format("%s%s", lead, call));
    pinsight_table_cell(table, place_of(file, number));
    free(lead);
    free(call);
}

void pinsight_section_tree(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_report_options *options = &report->options;
    double threshold = options->threshold < 0 ? DEFAULT_THRESHOLD : options->threshold;
    int64_t depth = options->depth < 0 ? DEFAULT_DEPTH : options->depth;
    struct pinsight_tree tree = pinsight_tree_make(report, depth, threshold);
    struct pinsight_table table = {.colour = options->colour, .width = options->width};
    struct pinsight_branches branches =
        pinsight_branches_start(options->width, NUMBERS_WIDTH + PLACE_WIDTH);
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
    pinsight_table_column(&table, "call", PINSIGHT_LEFT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "where", PINSIGHT_LEFT, PINSIGHT_DIM);
    for (size_t i = 0; i < rows; i++)
        add_line(report, &table, &branches, &tree, &tree.lines[i]);
    pinsight_table_print(&table, out);
    free(remark);
    free(tree.lines);
}
