/* Trees without their look. The walk keeps its own stack: a tree may be as deep as a
 * program's recursion. */
#include "views/report/tree.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>

struct children {
    uint32_t *first;  /* of each node, an index into order; PINSIGHT_NONE at the end of `first` */
    uint32_t *order;  /* nodes, those of one parent together, larger totals first */
    uint32_t *counts; /* of each node */
};

/* The outermost nodes are kept as the children of one more node, whose number is the count. */
static uint32_t parent_of(const struct pinsight_tree_source *source, uint32_t node) {
    return source->parents[node] == PINSIGHT_NONE ? (uint32_t)source->count : source->parents[node];
}

static int compare_nodes(const void *left, const void *right, void *data) {
    const struct pinsight_tree_source *source = data;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return BY(source->totals[b], source->totals[a]) ?: BY(a, b);
}

static struct children find_children(const struct pinsight_tree_source *source) {
    size_t count = source->count;
    struct children children = {
        .first = pinsight_calloc(count + 2, sizeof(uint32_t)),
        .order = pinsight_calloc(count, sizeof(uint32_t)),
        .counts = pinsight_calloc(count + 1, sizeof(uint32_t)),
    };

    for (uint32_t node = 0; node < count; node++)
        children.first[parent_of(source, node) + 1]++;
    for (size_t i = 1; i <= count + 1; i++)
        children.first[i] += children.first[i - 1];
    for (uint32_t node = 0; node < count; node++) {
        uint32_t parent = parent_of(source, node);

        children.order[children.first[parent] + children.counts[parent]++] = node;
    }
    for (size_t parent = 0; parent <= count; parent++)
        qsort_r(children.order + children.first[parent], children.counts[parent], sizeof(uint32_t),
                compare_nodes, (void *)source);
    return children;
}

struct pinsight_tree pinsight_tree_choose(const struct pinsight_tree_source *source, int64_t depth,
                                          double threshold) {
    struct children children = find_children(source);
    struct pinsight_tree tree = {0};
    struct {
        uint32_t next, end;
    } *stack = NULL;
    size_t level = 0, capacity = 0;
    uint32_t root = (uint32_t)source->count;
    double least;

    for (uint32_t i = 0; i < children.counts[root]; i++)
        tree.whole_ns += source->totals[children.order[children.first[root] + i]];
    least = (double)tree.whole_ns * threshold / 100;
    stack = pinsight_grow(stack, 0, &capacity, sizeof(*stack));
    stack[0].next = children.first[root];
    stack[0].end = children.first[root] + children.counts[root];
    for (;;) {
        uint32_t node;

        if (stack[level].next == stack[level].end ||
            (double)source->totals[children.order[stack[level].next]] < least) {
            if (!level--)
                break;
            continue;
        }
        node = children.order[stack[level].next++];
        *PINSIGHT_ADD(tree.lines, tree.count, tree.capacity) = (struct pinsight_tree_line){
            .node = node,
            .depth = (uint32_t)level,
            .last =
                stack[level].next == stack[level].end ||
                (double)source->totals[children.order[stack[level].next]]<least, .cut = depth> 0 &&
                    (int64_t)level + 1 >= depth && children.counts[node] > 0,
        };
        if (depth > 0 && (int64_t)level + 1 >= depth)
            continue;
        level++;
        stack = pinsight_grow(stack, level, &capacity, sizeof(*stack));
        stack[level].next = children.first[node];
        stack[level].end = children.first[node] + children.counts[node];
    }
    PINSIGHT_FREE(stack, children.first, children.order, children.counts);
    return tree;
}

struct pinsight_tree pinsight_tree_make(const struct pinsight_report *report, int64_t depth,
                                        double threshold) {
    const struct pinsight_model *model = report->model;
    uint32_t *parents = pinsight_calloc(model->node_count + 1, sizeof(*parents));
    uint64_t *totals = pinsight_calloc(model->node_count + 1, sizeof(*totals));
    struct pinsight_tree_source source = {parents, totals, model->node_count};
    struct pinsight_tree tree;

    for (size_t i = 0; i < model->node_count; i++) {
        parents[i] = model->nodes[i].parent;
        totals[i] = model->nodes[i].total_ns;
    }
    tree = pinsight_tree_choose(&source, depth, threshold);
    free(parents);
    free(totals);
    return tree;
}

const char *pinsight_tree_name(const struct pinsight_report *report, uint32_t node,
                               const char **file, int32_t *line) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_node *entry = &model->nodes[node];

    *file = NULL;
    *line = 0;
    if (entry->kind != PINSIGHT_FUNCTION)
        return pinsight_callee_name(model, entry->id);
    *file = pinsight_strings_text(&model->strings, model->functions[entry->id].file);
    *line = model->functions[entry->id].line;
    return pinsight_function_name(model, entry->id);
}
