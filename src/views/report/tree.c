/* The call tree in a report. */
#include "views/report/tree.h"

#include "base/memory.h"
#include "base/text.h"
#include "views/kit/branches.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_DEPTH 12
#define DEFAULT_THRESHOLD 1.0
/* Columns that the numbers and the place at a line's end are given. */
#define NUMBERS_WIDTH 36
#define PLACE_WIDTH 26

/* A line of the tree. */
struct tree_row {
    const struct pinsight_node *node;
    uint32_t id, depth;
    const char *name, *file; /* file is NULL of a C callable */
    int32_t line;
    uint64_t whole_ns;
    char *label; /* on a screen: the name with its branches, owned */
};

static char *place_of(const char *file, int32_t line) {
    char *place = file ? pinsight_text_place(file, line) : pinsight_strdup("");

    place = pinsight_realloc(place, strlen(place) + 4, 1);
    pinsight_text_cut(place, PLACE_WIDTH);
    return place;
}

static char *label_of(const struct pinsight_report *report, struct pinsight_branches *branches,
                      const struct pinsight_tree_line *line, const struct tree_row *row) {
    char *lead = pinsight_branches_next(branches, line);
    size_t taken = NUMBERS_WIDTH + PLACE_WIDTH + pinsight_text_width(lead);
    char mark[16], *call, *label;

    snprintf(mark, sizeof(mark), "%s%s", row->node->kind == PINSIGHT_C_CALL ? " (C)" : "",
             line->cut ? " …" : "");
    call = pinsight_branches_name(
        row->name, mark, report->options.width > taken ? report->options.width - taken : 0);
    label = pinsight_format("%s%s", lead, call);
    free(lead);
    free(call);
    return label;
}

/* The rows of a tree, to be freed. branches is NULL where no labels are wanted. */
static struct tree_row *make_rows(const struct pinsight_report *report,
                                  const struct pinsight_tree *tree,
                                  struct pinsight_branches *branches) {
    struct tree_row *rows = pinsight_calloc(tree->count + 1, sizeof(*rows));

    for (size_t i = 0; i < tree->count; i++) {
        const struct pinsight_tree_line *line = &tree->lines[i];
        struct tree_row *row = &rows[i];

        *row = (struct tree_row){.node = &report->model->nodes[line->node],
                                 .id = line->node,
                                 .depth = line->depth,
                                 .whole_ns = tree->whole_ns};
        row->name = pinsight_tree_name(report, line->node, &row->file, &row->line);
        if (branches)
            row->label = label_of(report, branches, line, row);
    }
    return rows;
}

static struct pinsight_value parent(const void *view, const void *row) {
    uint32_t number = ((const struct tree_row *)row)->node->parent;

    return number == PINSIGHT_NONE ? pinsight_value_none() : pinsight_value_number(number);
}

static const char *kind_word(unsigned kind) {
    return kind == PINSIGHT_FUNCTION ? "function" : "c_call";
}

VALUE(share, struct tree_row, pinsight_value_share(row->node->total_ns, row->whole_ns))

VALUE(label, struct tree_row, pinsight_value_owned(pinsight_strdup(row->label)))

VALUE(place, struct tree_row, pinsight_value_owned(place_of(row->file, row->line)))

#define N(member) MEMBER(struct pinsight_node, member)
static const struct pinsight_column node_columns[] = {
    COLUMN("kind", NULL, WORD, N(kind), .word = kind_word),
    COLUMN("calls", "calls", COUNT, N(calls)),
    COLUMN("total_ns", "total", NS, N(total_ns), .style = PINSIGHT_BOLD),
    COLUMN("self_ns", "self", NS, N(self_ns)),
};
static const struct pinsight_table nodes = {PINSIGHT_COLUMNS(node_columns)};

#define R(member) MEMBER(struct tree_row, member)
static const struct pinsight_column columns[] = {
    FIELD(ID, R, id),
    GETTER("parent", NULL, ID, parent),
    FIELD(ID, R, depth),
    FIELDS(STRING, R, name, file),
    COLUMN("line", NULL, SIGNED, R(line), .needs = R(file)),
    INNER(NULL, &nodes, R(node), .pointer = true),
    GETTER("share", "%", SHARE, share),
    GETTER("label", "call", TEXT, label, .align = PINSIGHT_LEFT),
    GETTER("place", "where", TEXT, place, .align = PINSIGHT_LEFT, .style = PINSIGHT_DIM),
};

static const struct pinsight_table table = {
    .key = "tree",
    PINSIGHT_COLUMNS(columns),
    .screen = "total_ns share self_ns calls label place",
    .json = "id parent depth kind name file line calls total_ns self_ns",
};

void pinsight_tree_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit) {
    const struct pinsight_report_options *options = &report->options;
    struct pinsight_printing printing = pinsight_report_printing(report);
    struct pinsight_tree tree = pinsight_tree_make(report, options->depth < 0 ? 0 : options->depth,
                                                   options->threshold < 0 ? 0 : options->threshold);
    struct tree_row *rows = make_rows(report, &tree, NULL);

    pinsight_table_json(&table, &printing, PINSIGHT_ROWS(rows, tree.count), 0, json);
    free(rows);
    free(tree.lines);
}

void pinsight_section_tree(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_report_options *options = &report->options;
    double threshold = options->threshold < 0 ? DEFAULT_THRESHOLD : options->threshold;
    int64_t depth = options->depth < 0 ? DEFAULT_DEPTH : options->depth;
    struct pinsight_tree tree = pinsight_tree_make(report, depth, threshold);
    struct pinsight_branches branches =
        pinsight_branches_start(options->width, NUMBERS_WIDTH + PLACE_WIDTH);
    struct tree_row *rows = make_rows(report, &tree, &branches);
    char *remark = depth ? pinsight_format("from %g %% on, %lld levels (--threshold, --depth)",
                                           threshold, (long long)depth)
                         : pinsight_format("from %g %% on (--threshold)", threshold);

    pinsight_head_section(report, out, "Call tree", remark);
    pinsight_report_table(report, out, &table, PINSIGHT_ROWS(rows, tree.count),
                          options->limit > 0 ? (size_t)options->limit : 0);
    for (size_t i = 0; i < tree.count; i++)
        free(rows[i].label);
    PINSIGHT_FREE(rows, remark, tree.lines);
}
