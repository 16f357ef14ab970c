/* Makes the rows of the call tree. */
#include "views/report/tree.h"

#include "base/memory.h"
#include "base/order.h"
#include "reader/kit/packages.h"
#include "reader/kit/paths.h"

#include <stdlib.h>
#include <string.h>

/* The most packages of a row that are named. */
#define MOST_PACKAGES 2

/* Replaces the kind of a call for the outermost frame of a row. */
#define OUTERMOST (PINSIGHT_C_CALL + PINSIGHT_FUNCTION + 1)

/* The frames of one package in a row. */
struct part {
    uint32_t row, package; /* string number */
    uint64_t self_ns;
};

ORDER(by_row, struct part, BY(a->row, b->row) ?: BY(b->self_ns, a->self_ns)
                               ?: BY(a->package, b->package))

/* The state while rows are made. */
struct tree_making {
    const struct pinsight_report *report;
    struct pinsight_tree_nodes *made;
    bool *users;                /* by function: it is the user's */
    uint32_t *row_of;           /* row, by node of the model */
    struct pinsight_map rows;   /* row, by its parent and callee */
    uint32_t *frame_of;         /* frame within its row, by node of the model */
    struct pinsight_map frames; /* frame, by its calling frame and callee */
    uint32_t frame_count;
    uint32_t *package_of;      /* by function: number in `names` plus one; 0: unknown yet */
    struct pinsight_map named; /* index in `parts`, by row and package */
    struct part *parts;
    size_t part_count, part_capacity;
    struct pinsight_strings names;
};

static bool *find_users(const struct pinsight_model *model, bool *any) {
    bool *users = pinsight_calloc(model->function_count + 1, sizeof(*users));

    for (size_t i = 0; i < model->function_count; i++)
        users[i] = model->functions[i].known && pinsight_function_is_users(model, (uint32_t)i);
    *any = false;
    for (size_t i = 0; i < model->node_count; i++)
        *any |= model->nodes[i].kind == PINSIGHT_FUNCTION && users[model->nodes[i].id];
    return users;
}

/* Returns the number of a function's package. 0 is the empty name of an unknown package. */
static uint32_t package_of(struct tree_making *making, uint32_t function) {
    const struct pinsight_report *report = making->report;
    const struct pinsight_function *of = &report->model->functions[function];

    if (!making->package_of[function]) {
        char *name = pinsight_package_of(pinsight_report_string(report, of->file),
                                         pinsight_report_string(report, of->module));

        making->package_of[function] =
            1 + (name ? pinsight_strings_add(&making->names, name, strlen(name)) : 0);
        free(name);
    }
    return making->package_of[function] - 1;
}

static void add_part(struct tree_making *making, uint32_t row, uint32_t function,
                     uint64_t self_ns) {
    uint32_t package = package_of(making, function);

    if (package)
        PINSIGHT_KEYED(&making->named, row, package, 0, making->parts, making->part_count,
                       making->part_capacity, .row = row, .package = package)
            ->self_ns += self_ns;
}

/* Names the packages of each row, with the most time first. */
static void name_packages(struct tree_making *making) {
    uint32_t count = 0;

    PINSIGHT_SORT(making->parts, making->part_count, by_row);
    for (size_t i = 0; i < making->part_count; i++) {
        const struct part *part = &making->parts[i];
        char **packages = &making->made->nodes[part->row].packages;
        bool last = i + 1 == making->part_count || part[1].row != part->row;

        count = i && part[-1].row == part->row ? count + 1 : 1;
        if (count <= MOST_PACKAGES)
            pinsight_append(packages, "%s%s", count == 1 ? "" : ", ",
                            pinsight_strings_text(&making->names, part->package));
        if (last && count > MOST_PACKAGES)
            pinsight_append(packages, " and %u more", count - MOST_PACKAGES);
    }
}

/* Counts a node among the frames of its row, unless an equal frame was counted. */
static void add_frame(struct tree_making *making, uint32_t number, uint32_t row, bool inner) {
    const struct pinsight_node *node = &making->report->model->nodes[number];
    uint32_t frame =
        inner ? pinsight_map_number(&making->frames, making->frame_of[node->parent], node->id,
                                    node->kind, making->frame_count)
              : pinsight_map_number(&making->frames, row, 0, OUTERMOST, making->frame_count);

    making->frame_of[number] = frame;
    if (frame < making->frame_count)
        return;
    making->frame_count++;
    making->made->nodes[row].frames++;
}

static void add_node(struct tree_making *making, uint32_t number) {
    const struct pinsight_node *node = &making->report->model->nodes[number];
    struct pinsight_tree_nodes *made = making->made;
    uint32_t parent = node->parent == PINSIGHT_NONE ? PINSIGHT_NONE : making->row_of[node->parent];
    bool is_users = node->kind == PINSIGHT_FUNCTION && making->users[node->id];
    bool inner = made->folded && !is_users && parent != PINSIGHT_NONE && !made->nodes[parent].users;
    uint32_t row = parent;

    /* Several frames that share a row may call the same code. */
    if (!inner)
        row = made->folded
                  ? pinsight_map_number(&making->rows, parent, node->id, node->kind, made->count)
                  : (uint32_t)made->count;
    if (row == made->count)
        *PINSIGHT_ADD(made->nodes, made->count, made->capacity) =
            (struct pinsight_tree_node){.node = number, .parent = parent, .users = is_users};
    making->row_of[number] = row;
    made->nodes[row].self_ns += node->self_ns;
    if (!inner) {
        made->nodes[row].calls += node->calls;
        made->nodes[row].total_ns += node->total_ns;
    }
    add_frame(making, number, row, inner);
    if (made->folded && !is_users && node->kind == PINSIGHT_FUNCTION)
        add_part(making, row, node->id, node->self_ns);
}

struct pinsight_tree_nodes pinsight_tree_nodes_make(const struct pinsight_report *report,
                                                    bool fold) {
    const struct pinsight_model *model = report->model;
    struct pinsight_tree_nodes made = {0};
    struct tree_making making = {.report = report, .made = &made};
    bool any;

    making.users = find_users(model, &any);
    making.row_of = pinsight_calloc(model->node_count + 1, sizeof(*making.row_of));
    making.frame_of = pinsight_calloc(model->node_count + 1, sizeof(*making.frame_of));
    making.package_of = pinsight_calloc(model->function_count + 1, sizeof(*making.package_of));
    made.folded = fold && any;
    for (uint32_t i = 0; i < model->node_count; i++)
        add_node(&making, i);
    name_packages(&making);
    PINSIGHT_FREE(making.users, making.row_of, making.frame_of, making.package_of, making.parts);
    pinsight_map_clear(&making.rows);
    pinsight_map_clear(&making.frames);
    pinsight_map_clear(&making.named);
    pinsight_strings_clear(&making.names);
    return made;
}

void pinsight_tree_nodes_free(struct pinsight_tree_nodes *nodes) {
    for (size_t i = 0; i < nodes->count; i++)
        free(nodes->nodes[i].packages);
    free(nodes->nodes);
    *nodes = (struct pinsight_tree_nodes){0};
}
