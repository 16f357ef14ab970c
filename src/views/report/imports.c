/* The section with the trees of imports. */
#include "views/report/imports.h"

#include "base/ascii.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/process_name.h"
#include "views/report/branches.h"
#include "views/report/head.h"
#include "views/report/section.h"
#include "views/report/sections.h"
#include "views/report/start_up.h"
#include "views/report/tables.h"
#include "views/report/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_DEPTH 12
#define DEFAULT_THRESHOLD 1.0
/* Columns for the numbers before a name. */
#define NUMBERS_WIDTH 28

/* The tree of one process. */
struct pinsight_import_tree {
    const struct pinsight_process *process;
    struct pinsight_tree tree; /* its nodes are indices of `nodes` */
    uint32_t *nodes;           /* indices of the model's imports */
    uint32_t *parents;         /* index of the parent; PINSIGHT_NONE for an outermost node */
    size_t count;
};

struct pinsight_import_trees {
    struct pinsight_import_tree *trees; /* in the order of their processes */
    size_t count;
};

static struct pinsight_import_tree make_tree(const struct pinsight_report *report,
                                             const struct pinsight_process *process, int64_t depth,
                                             double threshold, bool marks) {
    const struct pinsight_model *model = report->model;
    struct pinsight_import_tree tree = {.process = process};
    uint32_t *numbers = pinsight_calloc(model->import_count, sizeof(*numbers));
    uint64_t *totals = pinsight_calloc(model->import_count, sizeof(*totals));
    struct pinsight_tree_source source;

    tree.nodes = pinsight_calloc(model->import_count, sizeof(*tree.nodes));
    tree.parents = pinsight_calloc(model->import_count, sizeof(*tree.parents));
    for (uint32_t i = 0; i < model->import_count; i++) {
        const struct pinsight_import *import = &model->imports[i];

        if (import->process != process)
            continue;
        numbers[i] = (uint32_t)tree.count;
        tree.nodes[tree.count] = i;
        tree.parents[tree.count] =
            import->parent == PINSIGHT_NONE ? PINSIGHT_NONE : numbers[import->parent];
        totals[tree.count++] = import->total_ns;
    }
    source = (struct pinsight_tree_source){
        .parents = tree.parents, .totals = totals, .count = tree.count, .marks = marks};
    if (tree.count)
        tree.tree = pinsight_tree_choose(&source, depth, threshold);
    free(numbers);
    free(totals);
    return tree;
}

static void free_tree(struct pinsight_import_tree *tree) {
    PINSIGHT_FREE(tree->tree.lines, tree->nodes, tree->parents);
}

/* Makes the trees. A depth of 0 is all. The threshold is a percentage of the process's whole. With
 * `marks`, lines stand for hidden nodes. */
static struct pinsight_import_trees make_trees(const struct pinsight_report *report, int64_t depth,
                                               double threshold, bool marks) {
    const struct pinsight_model *model = report->model;
    struct pinsight_import_trees trees = {0};
    bool *has = pinsight_calloc(model->process_count + 1, sizeof(*has));

    trees.trees = pinsight_calloc(model->process_count + 1, sizeof(*trees.trees));
    for (size_t i = 0; i < model->import_count; i++)
        has[model->imports[i].process->index] = true;
    for (size_t i = 0; i < model->process_count; i++)
        if (has[i])
            trees.trees[trees.count++] =
                make_tree(report, model->processes[i], depth, threshold, marks);
    free(has);
    return trees;
}

static void free_trees(struct pinsight_import_trees *trees) {
    for (size_t i = 0; i < trees->count; i++)
        free_tree(&trees->trees[i]);
    free(trees->trees);
    *trees = (struct pinsight_import_trees){0};
}

static const char *none(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    if (report->only_counted)
        return "Imports were counted (MONITORING): the tree of them needs TRACING.";
    for (size_t p = 0; p < model->process_count; p++)
        for (size_t d = 0; d < model->processes[p]->domain_count; d++)
            if (strstr(
                    pinsight_strings_text(&model->strings, model->processes[p]->domains[d].events),
                    "import"))
                return "No import was recorded: no module was imported that was not there yet.";
    return "No import was recorded: the events that were chosen leave imports out. Record without "
           "--events, or with import among them.";
}

/* A line of a tree. Without an import, it stands for hidden nodes. */
struct import_row {
    const struct pinsight_import *import;
    const struct pinsight_process *process;
    uint32_t id, depth;
    uint64_t total_ns, whole_ns;
    char *label; /* on a screen: the module with its branches; owned */
};

/* Writes a mark such as " (3 times, 1 failed)". */
static void mark_of(char *mark, size_t size, const struct pinsight_import *import) {
    if (import->count > 1 && import->failed)
        snprintf(mark, size, " (%" PRIu64 " times, %" PRIu64 " failed)", import->count,
                 import->failed);
    else if (import->count > 1)
        snprintf(mark, size, " (%" PRIu64 " times)", import->count);
    else
        snprintf(mark, size, "%s", import->failed ? " (failed)" : "");
}

static char *label_of(const struct pinsight_report *report, struct pinsight_branches *branches,
                      const struct pinsight_tree_line *line, const struct pinsight_import *import) {
    char *lead = pinsight_branches_next(branches, line);
    size_t taken = NUMBERS_WIDTH + pinsight_text_width(lead);
    char mark[96], *name, *label;

    mark_of(mark, sizeof(mark), import);
    name =
        pinsight_branches_name(pinsight_report_string(report, import->module), mark,
                               report->options.width > taken ? report->options.width - taken : 0);
    label = pinsight_format("%s%s", lead, name);
    free(lead);
    free(name);
    return label;
}

/* Returns the label of a line that stands for others. Frees the reason. */
static char *left_label(const struct pinsight_report *report, struct pinsight_branches *branches,
                        const struct pinsight_tree_line *line, char *reason) {
    char *lead = pinsight_branches_next(branches, line);
    size_t taken = NUMBERS_WIDTH + pinsight_text_width(lead);
    size_t room = report->options.width > taken ? report->options.width - taken : 0;
    char *text = pinsight_ascii_shown(pinsight_format("… %s import%s %s",
                                                      pinsight_units_count(line->rows).text,
                                                      line->rows == 1 ? "" : "s", reason));
    char *label;

    text = pinsight_realloc(text, strlen(text) + 4, 1);
    pinsight_text_cut_end(text, room > PINSIGHT_LEAST_NAME ? room : PINSIGHT_LEAST_NAME);
    label = pinsight_format("%s%s", lead, text);
    PINSIGHT_FREE(lead, text, reason);
    return label;
}

/* The rows of trees. */
struct import_rows {
    struct import_row *rows;
    size_t count, capacity;
};

static void add_line(const struct pinsight_report *report, const struct pinsight_import_tree *tree,
                     struct import_rows *rows, const struct pinsight_tree_line *line, char *label) {
    struct import_row *row = PINSIGHT_ADD(rows->rows, rows->count, rows->capacity);

    *row = (struct import_row){.process = tree->process,
                               .depth = line->depth,
                               .total_ns = line->ns,
                               .whole_ns = tree->tree.whole_ns,
                               .label = label};
    if (line->node == PINSIGHT_NONE)
        return;
    row->id = tree->nodes[line->node];
    row->import = &report->model->imports[row->id];
}

/* Adds the rows of a tree, without labels. */
static void add_rows(const struct pinsight_report *report, const struct pinsight_import_tree *tree,
                     struct import_rows *rows) {
    for (size_t i = 0; i < tree->tree.count; i++)
        add_line(report, tree, rows, &tree->tree.lines[i], NULL);
}

static struct pinsight_value parent(const void *view, const void *row) {
    uint32_t number = ((const struct import_row *)row)->import->parent;

    return number == PINSIGHT_NONE ? pinsight_value_none() : pinsight_value_number(number);
}

VALUE(share, struct import_row, pinsight_value_share(row->total_ns, row->whole_ns))

VALUE(label, struct import_row, pinsight_value_owned(pinsight_strdup(row->label)))

#define I(member) MEMBER(struct pinsight_import, member)
static const struct pinsight_column import_columns[] = {
    FIELD(STRING_NUMBER, I, module),
    FIELDS(COUNT, I, count, failed),
    COLUMN("self_ns", "self", NS, I(self_ns), .none = ""),
    COLUMN("begin_ns", NULL, NS, I(first_ns)),
};
static const struct pinsight_table imports = {PINSIGHT_COLUMNS(import_columns)};

#define R(member) MEMBER(struct import_row, member)
static const struct pinsight_column columns[] = {
    TREE_COLUMNS(R, parent),
    INNER(NULL, &pinsight_pid_table, R(process), .pointer = true),
    COLUMN("total_ns", "total", NS, R(total_ns), .style = PINSIGHT_BOLD),
    INNER(NULL, &imports, R(import), .pointer = true),
    GETTER("share", "%", SHARE, share),
    GETTER("label", "module", TEXT, label, .align = PINSIGHT_LEFT),
};

/* Makes the rows of all trees, for forms that show everything by default. */
static struct pinsight_rows make_all(const void *view) {
    const struct pinsight_report *report = view;
    const struct pinsight_report_options *options = &report->options;
    struct pinsight_import_trees trees =
        make_trees(report, options->depth < 0 ? 0 : options->depth,
                   options->threshold < 0 ? 0 : options->threshold, false);
    struct import_rows rows = {0};

    for (size_t t = 0; t < trees.count; t++)
        add_rows(report, &trees.trees[t], &rows);
    free_trees(&trees);
    return PINSIGHT_MADE_ROWS(rows.rows, rows.count);
}

static const struct pinsight_table table = {
    PINSIGHT_LIST("imports", columns),
    .whole = PINSIGHT_FORM_JSON,
    .make = make_all,
    .screen = "total_ns share self_ns label",
    .files = "id parent depth pid module count failed total_ns self_ns begin_ns",
};

/* Writes the title: "Imports", or "Imports of rank 2" if there are several processes. */
static void start(const struct pinsight_report *report, FILE *out,
                  const struct pinsight_import_tree *tree, double threshold, int64_t depth) {
    char levels[48] = "";
    bool named = view_processes_are_named(report->model);
    char *name = named ? view_process_name(tree->process) : NULL;
    char *title = named ? pinsight_format("Imports of %s", name) : pinsight_strdup("Imports");
    char *remark;

    if (depth)
        snprintf(levels, sizeof(levels), ", %lld levels", (long long)depth);
    remark = pinsight_format(
        "%s in %s, from %g %% on%s (--threshold%s)", pinsight_units_count(tree->count).text,
        pinsight_units_time(tree->tree.whole_ns).text, threshold, levels, depth ? ", --depth" : "");
    pinsight_head_section(report, out, title, remark);
    PINSIGHT_FREE(name, title, remark);
}

/* Writes a tree on a screen. Further lines stand for nodes beyond the limit, and for small ones. */
static void print_tree(const struct pinsight_report *report, FILE *out,
                       struct pinsight_import_tree *tree, double threshold) {
    struct pinsight_branches branches =
        pinsight_branches_start(report->options.width, NUMBERS_WIDTH);
    int64_t limit = report->options.limit;
    struct pinsight_tree_rest beyond =
        pinsight_tree_limit(&tree->tree, limit > 0 ? (size_t)limit : 0);
    const struct pinsight_tree_line further = pinsight_tree_rest_line(&beyond),
                                    small = pinsight_tree_rest_line(&tree->tree.small);
    struct import_rows rows = {0};

    for (size_t i = 0; i < tree->tree.count; i++) {
        const struct pinsight_tree_line *line = &tree->tree.lines[i];

        add_line(report, tree, &rows, line,
                 line->node == PINSIGHT_NONE
                     ? left_label(report, &branches, line, pinsight_tree_reason(line, threshold))
                     : label_of(report, &branches, line,
                                &report->model->imports[tree->nodes[line->node]]));
    }
    if (further.rows)
        add_line(report, tree, &rows, &further,
                 left_label(report, &branches, &further, pinsight_strdup(PINSIGHT_TREE_FURTHER)));
    if (small.rows)
        add_line(report, tree, &rows, &small,
                 left_label(report, &branches, &small, pinsight_tree_reason(&small, threshold)));
    pinsight_report_table(report, out, &table, PINSIGHT_ROWS(rows.rows, rows.count), 0);
    for (size_t i = 0; i < rows.count; i++)
        free(rows.rows[i].label);
    free(rows.rows);
}

static void print_imports(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_report_options *options = &report->options;
    double threshold = options->threshold < 0 ? DEFAULT_THRESHOLD : options->threshold;
    int64_t depth = options->depth < 0 ? DEFAULT_DEPTH : options->depth;
    struct pinsight_import_trees trees = make_trees(report, depth, threshold, true);

    if (!trees.count)
        pinsight_section_nothing(&pinsight_section_of_imports, report, out);
    for (size_t t = 0; t < trees.count; t++) {
        start(report, out, &trees.trees[t], threshold, depth);
        print_tree(report, out, &trees.trees[t], threshold);
    }
    free_trees(&trees);
}

void pinsight_section_imports_brief(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_model *model = report->model;
    uint64_t whole_ns = 0;

    if (!model->import_count || !pinsight_start_up_shows(report))
        return;
    for (size_t i = 0; i < model->import_count; i++)
        if (model->imports[i].parent == PINSIGHT_NONE)
            whole_ns += model->imports[i].total_ns;
    pinsight_section_remark(&pinsight_section_of_imports, report, out,
                            pinsight_format("%s in %s (--imports shows them)",
                                            pinsight_units_count(model->import_count).text,
                                            pinsight_units_time(whole_ns).text));
}

static bool has_imports(const struct pinsight_report *report) {
    return report->model->import_count != 0;
}

const struct pinsight_section pinsight_section_of_imports = {
    PINSIGHT_SECTION("imports", "Imports", 0, has_imports, none),
    .about = "the tree of imports, with the time of each, in place of the tables",
    .example = "imports, and their times",
    .next = "what start-up waits for",
    .table = &table,
    .screen = print_imports,
};
