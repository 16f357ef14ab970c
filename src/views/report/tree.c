/* The section with the call tree. */
#include "views/report/tree.h"

#include "base/ascii.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/report/branches.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_DEPTH 12
#define DEFAULT_THRESHOLD 1.0
/* Columns for the numbers before a name, and for the place at the end of a line. */
#define NUMBERS_WIDTH 36
#define PLACE_WIDTH 26

/* A line of the tree. Without a node, it stands for hidden rows, and has only their time. */
struct tree_row {
    const struct pinsight_tree_node *node;
    enum pinsight_kind kind;
    const char *name, *file; /* file is NULL for a C callable */
    int32_t line;
    uint32_t id, depth;
    uint64_t total_ns, whole_ns;
    char *label, *place; /* on a screen: the name with its branches, and the place; owned */
};

struct tree_rows {
    struct tree_row *rows;
    size_t count, capacity;
    uint64_t whole_ns;
};

static struct tree_row *add_row(struct tree_rows *rows, uint64_t total_ns, uint32_t depth) {
    struct tree_row *row = PINSIGHT_ADD(rows->rows, rows->count, rows->capacity);

    *row = (struct tree_row){.total_ns = total_ns, .whole_ns = rows->whole_ns, .depth = depth};
    return row;
}

static struct tree_row *add_node(struct tree_rows *rows, const struct pinsight_report *report,
                                 const struct pinsight_tree_nodes *nodes, uint32_t id,
                                 uint32_t depth) {
    const struct pinsight_tree_node *node = &nodes->nodes[id];
    const struct pinsight_model *model = report->model;
    uint32_t what = model->nodes[node->node].id;
    struct tree_row *row = add_row(rows, node->total_ns, depth);

    row->node = node;
    row->id = id;
    row->kind = model->nodes[node->node].kind;
    if (row->kind == PINSIGHT_FUNCTION) {
        row->name = pinsight_function_name(model, what);
        row->file = pinsight_report_string(report, model->functions[what].file);
        row->line = model->functions[what].line;
    } else {
        row->name = pinsight_callee_name(model, what);
    }
    return row;
}

/* Chooses the lines of a tree. */
static struct pinsight_tree choose(const struct pinsight_tree_nodes *nodes, int64_t depth,
                                   double threshold, bool marks) {
    uint32_t *parents = pinsight_calloc(nodes->count + 1, sizeof(*parents));
    uint64_t *totals = pinsight_calloc(nodes->count + 1, sizeof(*totals));
    bool *levels = pinsight_calloc(nodes->count + 1, sizeof(*levels));
    struct pinsight_tree_source source = {parents, totals, nodes->count, levels, marks};
    struct pinsight_tree tree;

    for (size_t i = 0; i < nodes->count; i++) {
        parents[i] = nodes->nodes[i].parent;
        totals[i] = nodes->nodes[i].total_ns;
        levels[i] = nodes->nodes[i].users || !nodes->folded;
    }
    tree = pinsight_tree_choose(&source, depth, threshold);
    PINSIGHT_FREE(parents, totals, levels);
    return tree;
}

static char *place_of(const struct tree_row *row) {
    char *place = pinsight_ascii_shown(row->file ? pinsight_text_place(row->file, row->line)
                                                 : pinsight_strdup(""));

    place = pinsight_realloc(place, strlen(place) + 4, 1);
    pinsight_text_cut(place, PLACE_WIDTH);
    return place;
}

/* Returns the first of the texts that fits into `room` columns, and the last one cut off if none
 * does. Frees the others. */
static char *first_that_fits(char **texts, size_t count, size_t room) {
    char *found = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!found && (i + 1 == count || pinsight_text_width(texts[i]) <= room))
            found = texts[i];
        else
            free(texts[i]);
    }
    found = pinsight_realloc(found, strlen(found) + 4, 1);
    pinsight_text_cut_end(found, room);
    return found;
}

/* Returns a name such as "… 8 frames of asyncio, aiohttp: run", with the outermost frame at its
 * end. Without enough room it is "… asyncio, aiohttp: run" or "… run", as the place has the file of
 * that frame. The caller frees it. */
static char *folded_name(const struct tree_row *row, size_t room) {
    const char *packages = row->node->packages ? row->node->packages : "";
    const char *of = *packages ? " of " : "", *colon = *packages ? ": " : "";
    char *texts[] = {
        pinsight_format("… %s frame%s%s%s: %s", pinsight_units_count(row->node->frames).text,
                        row->node->frames == 1 ? "" : "s", of, packages, row->name),
        pinsight_format("… %s%s%s", packages, colon, row->name),
        pinsight_format("… %s", row->name),
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char *clean = pinsight_text_clean(texts[i]);

        free(texts[i]);
        texts[i] = pinsight_ascii_shown(clean);
    }
    return first_that_fits(texts, sizeof(texts) / sizeof(*texts), room);
}

/* Returns the name with its branches. The caller frees it. */
static char *label_of(const struct pinsight_report *report, struct pinsight_branches *branches,
                      const struct pinsight_tree_line *line, const struct tree_row *row) {
    char *lead = pinsight_branches_next(branches, line);
    size_t taken = NUMBERS_WIDTH + PLACE_WIDTH + pinsight_text_width(lead);
    size_t room = report->options.width > taken ? report->options.width - taken : 0;
    char *name, *call, *label;

    if (!row->node)
        name = pinsight_format("… %s row%s", pinsight_units_count(line->rows).text,
                               line->rows == 1 ? "" : "s");
    else if (row->node->frames > 1)
        name = folded_name(row, room > PINSIGHT_LEAST_NAME ? room : PINSIGHT_LEAST_NAME);
    else
        name = pinsight_strdup(row->name);
    call = pinsight_branches_name(
        name, row->node && row->node->frames == 1 && row->kind == PINSIGHT_C_CALL ? " (C)" : "",
        room);
    label = pinsight_format("%s%s", lead, call);
    PINSIGHT_FREE(lead, name, call);
    return label;
}

/* Adds a row that stands for hidden ones. The reason replaces the place. */
static void add_left(struct tree_rows *rows, const struct pinsight_report *report,
                     struct pinsight_branches *branches, const struct pinsight_tree_line *line,
                     char *reason) {
    struct tree_row *row = add_row(rows, line->ns, line->depth);

    row->label = label_of(report, branches, line, row);
    row->place = reason;
}

/* Makes the rows for a screen. Further rows stand for nodes beyond the limit, and for small
 * ones. */
static struct tree_rows screen_rows(const struct pinsight_report *report,
                                    const struct pinsight_tree_nodes *nodes,
                                    const struct pinsight_tree *tree,
                                    const struct pinsight_tree_rest *beyond, double threshold) {
    struct pinsight_branches branches =
        pinsight_branches_start(report->options.width, NUMBERS_WIDTH + PLACE_WIDTH);
    const struct pinsight_tree_line further = pinsight_tree_rest_line(beyond),
                                    small = pinsight_tree_rest_line(&tree->small);
    struct tree_rows rows = {.whole_ns = tree->whole_ns};

    for (size_t i = 0; i < tree->count; i++) {
        const struct pinsight_tree_line *line = &tree->lines[i];
        struct tree_row *row;

        if (line->node == PINSIGHT_NONE) {
            add_left(&rows, report, &branches, line, pinsight_tree_reason(line, threshold));
            continue;
        }
        row = add_node(&rows, report, nodes, line->node, line->depth);
        row->label = label_of(report, &branches, line, row);
        row->place = place_of(row);
    }
    if (further.rows)
        add_left(&rows, report, &branches, &further, pinsight_strdup(PINSIGHT_TREE_FURTHER));
    if (small.rows)
        add_left(&rows, report, &branches, &small, pinsight_tree_reason(&small, threshold));
    return rows;
}

static void free_rows(struct tree_rows *rows) {
    for (size_t i = 0; i < rows->count; i++)
        PINSIGHT_FREE(rows->rows[i].label, rows->rows[i].place);
    free(rows->rows);
}

static struct pinsight_value parent(const void *view, const void *row) {
    uint32_t number = ((const struct tree_row *)row)->node->parent;

    return number == PINSIGHT_NONE ? pinsight_value_none() : pinsight_value_number(number);
}

static const char *kind_word(unsigned kind) {
    return kind == PINSIGHT_FUNCTION ? "function" : "c_call";
}

VALUE(share, struct tree_row, pinsight_value_share(row->total_ns, row->whole_ns))

VALUE(label, struct tree_row, pinsight_value_owned(pinsight_strdup(row->label)))

VALUE(place, struct tree_row, pinsight_value_owned(pinsight_strdup(row->place)))

#define N(member) MEMBER(struct pinsight_tree_node, member)
static const struct pinsight_column node_columns[] = {
    FIELD(BOOL, N, users),
    COLUMN("calls", "calls", COUNT, N(calls), .none = ""),
    COLUMN("self_ns", "self", NS, N(self_ns), .none = ""),
};
static const struct pinsight_table nodes_table = {PINSIGHT_COLUMNS(node_columns)};

#define R(member) MEMBER(struct tree_row, member)
static const struct pinsight_column columns[] = {
    TREE_COLUMNS(R, parent),
    COLUMN("kind", NULL, WORD, R(kind), .word = kind_word),
    FIELDS(STRING, R, name, file),
    COLUMN("line", NULL, SIGNED, R(line), .needs = R(file)),
    COLUMN("total_ns", "total", NS, R(total_ns), .style = PINSIGHT_BOLD),
    INNER(NULL, &nodes_table, R(node), .pointer = true),
    GETTER("share", "%", SHARE, share),
    GETTER("label", "call", TEXT, label, .align = PINSIGHT_LEFT),
    GETTER("place", "where", TEXT, place, NAMES_IN(DIM)),
};

static const struct pinsight_table table = {
    PINSIGHT_LIST("tree", columns),
    .screen = "total_ns share self_ns calls label place",
    .json = "id parent depth kind name file line users calls total_ns self_ns",
};

void pinsight_tree_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit) {
    const struct pinsight_report_options *options = &report->options;
    struct pinsight_printing printing = pinsight_report_printing(report);
    struct pinsight_tree_nodes nodes = pinsight_tree_nodes_make(report, false);
    struct pinsight_tree tree = choose(&nodes, options->depth < 0 ? 0 : options->depth,
                                       options->threshold < 0 ? 0 : options->threshold, false);
    struct tree_rows rows = {.whole_ns = tree.whole_ns};

    for (size_t i = 0; i < tree.count; i++)
        add_node(&rows, report, &nodes, tree.lines[i].node, tree.lines[i].depth);
    pinsight_table_json(&table, &printing, PINSIGHT_ROWS(rows.rows, rows.count), 0, json);
    free_rows(&rows);
    free(tree.lines);
    pinsight_tree_nodes_free(&nodes);
}

/* Returns a remark such as "from 1 % on, 12 levels (--threshold, --depth)". The caller frees it. */
static char *remark_of(const struct pinsight_tree_nodes *nodes, int64_t depth, double threshold) {
    char *remark = pinsight_format("from %g %% on", threshold);

    if (depth)
        pinsight_append(&remark, ", %lld levels%s", (long long)depth,
                        nodes->folded ? " of your code" : "");
    pinsight_append(&remark, " (--threshold%s%s)", depth ? ", --depth" : "",
                    nodes->folded ? ", --unfold" : "");
    return remark;
}

void pinsight_section_tree(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_report_options *options = &report->options;
    double threshold = options->threshold < 0 ? DEFAULT_THRESHOLD : options->threshold;
    int64_t depth = options->depth < 0 ? DEFAULT_DEPTH : options->depth;
    struct pinsight_tree_nodes nodes = pinsight_tree_nodes_make(report, !options->unfold);
    struct pinsight_tree tree = choose(&nodes, depth, threshold, true);
    struct pinsight_tree_rest beyond =
        pinsight_tree_limit(&tree, options->limit > 0 ? (size_t)options->limit : 0);
    struct tree_rows rows = screen_rows(report, &nodes, &tree, &beyond, threshold);
    char *remark = remark_of(&nodes, depth, threshold);

    pinsight_head_section(report, out, "Call tree", remark);
    pinsight_report_table(report, out, &table, PINSIGHT_ROWS(rows.rows, rows.count), 0);
    free_rows(&rows);
    PINSIGHT_FREE(remark, tree.lines);
    pinsight_tree_nodes_free(&nodes);
}
