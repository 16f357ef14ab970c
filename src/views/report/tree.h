/* The call tree, with the time of each call. */
#ifndef PINSIGHT_VIEWS_TREE_H
#define PINSIGHT_VIEWS_TREE_H

#include "base/json.h"
#include "views/report/report.h"

/* A line of the tree, in the order of showing: parents before their children, larger totals first.
 * A line with the node PINSIGHT_NONE stands for children that are not shown. */
struct pinsight_tree_line {
    uint32_t node;  /* number in the source */
    uint32_t depth; /* 0 for an outermost line */
    bool last;      /* last shown child of its parent */
    bool deep;      /* it stands for nodes that are too deep */
    uint32_t rows;  /* 1 for a node; else the number of hidden nodes, with all below them */
    uint64_t ns;    /* time of the node, or of the hidden nodes */
};

/* Hidden nodes, and the time of the outermost of them. */
struct pinsight_tree_rest {
    uint32_t rows;
    uint64_t ns;
};

struct pinsight_tree {
    struct pinsight_tree_line *lines;
    size_t count, capacity;
    uint64_t whole_ns;               /* of all outermost nodes */
    struct pinsight_tree_rest small; /* hidden nodes without a line that stands for them */
};

/* Nodes by number: the parent of each, which has a smaller number, or PINSIGHT_NONE; and its time
 * in ns. */
struct pinsight_tree_source {
    const uint32_t *parents;
    const uint64_t *totals;
    size_t count;
    const bool *levels; /* whether a node counts as a level; NULL: each does */
    /* Lines stand for nodes that are too deep, and for small nodes that are large together. */
    bool marks;
};

/* Chooses the nodes to show: `depth` levels (0: all), and from `threshold` percent of the whole
 * on. */
struct pinsight_tree pinsight_tree_choose(const struct pinsight_tree_source *source, int64_t depth,
                                          double threshold);

/* Removes the lines beyond a limit from a tree, and returns their sum; 0: no limit. */
struct pinsight_tree_rest pinsight_tree_limit(struct pinsight_tree *tree, size_t limit);

/* Return a line for a rest, which stands below all others; and the reason of a line that stands for
 * others. The caller frees the reason. */
#define PINSIGHT_TREE_FURTHER "further (--limit)"
static inline struct pinsight_tree_line
pinsight_tree_rest_line(const struct pinsight_tree_rest *rest) {
    return (struct pinsight_tree_line){
        .node = PINSIGHT_NONE, .last = true, .rows = rest->rows, .ns = rest->ns};
}
char *pinsight_tree_reason(const struct pinsight_tree_line *line, double threshold);

/* A row of the call tree: a node of the model, or a chain of library frames that call each
 * other. */
struct pinsight_tree_node {
    uint32_t node;   /* of the model: the outermost */
    uint32_t parent; /* number of its row, or PINSIGHT_NONE */
    uint32_t frames; /* number of its frames */
    bool users;      /* it is the user's code */
    uint64_t calls, total_ns, self_ns;
    char *packages; /* for several frames: packages such as "asyncio, aiohttp", or NULL if unknown;
                       owned */
};

struct pinsight_tree_nodes {
    struct pinsight_tree_node *nodes; /* parents before their children */
    size_t count, capacity;
    bool folded; /* library frames may share a row; else the rows are the model's nodes */
};

/* Makes the rows. With `fold`, adjacent library frames share a row, unless the tree has no code of
 * the user's. */
struct pinsight_tree_nodes pinsight_tree_nodes_make(const struct pinsight_report *report,
                                                    bool fold);
void pinsight_tree_nodes_free(struct pinsight_tree_nodes *nodes);

/* Writes the model's nodes as a list under the key "tree". */
void pinsight_tree_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit);
/* Writes the tree on a screen. */
void pinsight_section_tree(const struct pinsight_report *report, FILE *out, size_t limit);

#endif
