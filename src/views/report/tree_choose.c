/* Chooses the lines of a tree. The walk has a stack of its own, because a tree may be as deep as a
 * program's recursion. */
#include "views/report/tree.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>

struct children {
    uint32_t *first;  /* by node: index in `order`; entry [count + 1] is the end */
    uint32_t *order;  /* nodes sorted by parent, then by larger totals */
    uint32_t *counts; /* number of children, by node */
};

/* Outermost nodes are children of one additional node, whose number is the count. */
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

/* Returns the number of nodes below each node. The caller frees it. */
static uint32_t *count_below(const struct pinsight_tree_source *source) {
    uint32_t *below = pinsight_calloc(source->count + 1, sizeof(*below));

    for (size_t node = source->count; node-- > 0;)
        below[parent_of(source, (uint32_t)node)] += below[node] + 1;
    return below;
}

/* The state of the walk. */
struct tree_walk {
    const struct pinsight_tree_source *source;
    struct children children;
    uint32_t *below;
    int64_t depth;
    double least;
};

/* The children of one node. */
struct level {
    uint32_t next, end; /* indices in the order of children; `end` is after the last shown child */
    int64_t levels;     /* number of counted levels above them */
    struct pinsight_tree_line left;
    bool marked; /* a line stands for the hidden children */
};

static bool is_too_deep(const struct tree_walk *walk, uint32_t node, int64_t levels) {
    return walk->depth > 0 && levels >= walk->depth &&
           (!walk->source->levels || walk->source->levels[node]);
}

static bool is_shown(const struct tree_walk *walk, uint32_t node, int64_t levels) {
    return (double)walk->source->totals[node] >= walk->least && !is_too_deep(walk, node, levels);
}

/* Makes the level below a node. `levels` is the number of counted levels, with the node's own. */
static struct level level_of(const struct tree_walk *walk, uint32_t node, int64_t levels) {
    uint32_t first = walk->children.first[node], count = walk->children.counts[node];
    struct level level = {
        .next = first, .end = first, .levels = levels, .left = {.node = PINSIGHT_NONE}};
    struct pinsight_tree_line *left = &level.left;

    for (uint32_t i = first; i < first + count; i++) {
        uint32_t child = walk->children.order[i];

        if (is_shown(walk, child, levels)) {
            level.end = i + 1;
            continue;
        }
        left->deep |= is_too_deep(walk, child, levels);
        left->rows += walk->below[child] + 1;
        left->ns += walk->source->totals[child];
    }
    level.marked =
        walk->source->marks && left->rows && (left->deep || (double)left->ns >= walk->least);
    return level;
}

/* Returns the next shown child, or the number of nodes at the end. */
static uint32_t next_shown(const struct tree_walk *walk, struct level *level) {
    while (level->next < level->end) {
        uint32_t node = walk->children.order[level->next++];

        if (is_shown(walk, node, level->levels))
            return node;
    }
    return (uint32_t)walk->source->count;
}

/* Ends the children of a node at a depth. Hidden children get a line, or are added to the rest
 * without a line. */
static void end_level(struct pinsight_tree *tree, const struct level *level, size_t depth) {
    if (level->marked) {
        struct pinsight_tree_line *line = PINSIGHT_ADD(tree->lines, tree->count, tree->capacity);

        *line = level->left;
        line->depth = (uint32_t)depth;
        line->last = true;
        return;
    }
    tree->small.rows += level->left.rows;
    tree->small.ns += level->left.ns;
}

struct pinsight_tree pinsight_tree_choose(const struct pinsight_tree_source *source, int64_t depth,
                                          double threshold) {
    struct tree_walk walk = {source, find_children(source), count_below(source), depth, 0};
    struct pinsight_tree tree = {0};
    struct level *stack = NULL;
    size_t at = 0, capacity = 0;
    uint32_t root = (uint32_t)source->count;

    for (uint32_t i = 0; i < walk.children.counts[root]; i++)
        tree.whole_ns += source->totals[walk.children.order[walk.children.first[root] + i]];
    walk.least = (double)tree.whole_ns * threshold / 100;
    stack = pinsight_grow(stack, 0, &capacity, sizeof(*stack));
    stack[0] = level_of(&walk, root, 0);
    for (;;) {
        uint32_t node = next_shown(&walk, &stack[at]);
        struct level below;

        if (node == root) {
            end_level(&tree, &stack[at], at);
            if (!at--)
                break;
            continue;
        }
        below = level_of(&walk, node, stack[at].levels + (!source->levels || source->levels[node]));
        *PINSIGHT_ADD(tree.lines, tree.count, tree.capacity) = (struct pinsight_tree_line){
            .node = node,
            .depth = (uint32_t)at,
            .last = stack[at].next >= stack[at].end && !stack[at].marked,
            .rows = 1,
            .ns = source->totals[node],
        };
        at++;
        stack = pinsight_grow(stack, at, &capacity, sizeof(*stack));
        stack[at] = below;
    }
    PINSIGHT_FREE(stack, walk.below, walk.children.first, walk.children.order,
                  walk.children.counts);
    return tree;
}

struct pinsight_tree_rest pinsight_tree_limit(struct pinsight_tree *tree, size_t limit) {
    struct pinsight_tree_rest rest = {0};
    uint32_t outermost = UINT32_MAX;

    if (!limit || limit >= tree->count)
        return rest;
    for (size_t i = limit; i < tree->count; i++) {
        const struct pinsight_tree_line *line = &tree->lines[i];

        rest.rows += line->rows;
        /* A deeper line belongs to one of the lines before. */
        if (line->depth > outermost)
            continue;
        outermost = line->depth;
        rest.ns += line->ns;
    }
    tree->count = limit;
    return rest;
}

char *pinsight_tree_reason(const struct pinsight_tree_line *line, double threshold) {
    return line->deep ? pinsight_strdup("deeper (--depth)")
                      : pinsight_format("below %g %% (--threshold)", threshold);
}
