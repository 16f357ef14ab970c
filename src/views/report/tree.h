/* The call tree: who called whom, and for how long. */
#ifndef PINSIGHT_VIEWS_TREE_H
#define PINSIGHT_VIEWS_TREE_H

#include "base/json.h"
#include "views/report/report.h"

/* A node that is shown, in the order of showing: parents before their children, larger totals
 * first. Or what stands for children that are not shown: its node is PINSIGHT_NONE. */
struct pinsight_tree_line {
    uint32_t node;  /* of the source */
    uint32_t depth; /* 0 for an outermost one */
    bool last;      /* of what is shown of its parent's children */
    bool deep;      /* it stands for what is too deep */
    uint32_t rows;  /* 1 of a node; else those that are not shown, and all below them; */
    uint64_t ns;    /* and their time */
};

/* Nodes that are not shown, and the time of the outermost of them. */
struct pinsight_tree_rest {
    uint32_t rows;
    uint64_t ns;
};

struct pinsight_tree {
    struct pinsight_tree_line *lines;
    size_t count, capacity;
    uint64_t whole_ns;               /* of all outermost nodes */
    struct pinsight_tree_rest small; /* that no line stands for */
};

/* Nodes by number: the parent of each, which has a smaller number, or PINSIGHT_NONE; and its time.
 */
struct pinsight_tree_source {
    const uint32_t *parents;
    const uint64_t *totals;
    size_t count;
    const bool *levels; /* whether a node counts as a level; NULL: each does */
    bool marks;         /* lines stand for what is too deep, and for what is small where together
                           it is not */
};

/* Chooses which nodes are shown: depth levels (0 is all), and from a share of the whole on, in
 * percent. */
struct pinsight_tree pinsight_tree_choose(const struct pinsight_tree_source *source, int64_t depth,
                                          double threshold);

/* Takes the lines beyond a limit from a tree; 0 is none. */
struct pinsight_tree_rest pinsight_tree_limit(struct pinsight_tree *tree, size_t limit);

/* A line for a rest, below all others; and why a line that stands for others does, to be freed. */
#define PINSIGHT_TREE_FURTHER "further (--limit)"
static inline struct pinsight_tree_line
pinsight_tree_rest_line(const struct pinsight_tree_rest *rest) {
    return (struct pinsight_tree_line){
        .node = PINSIGHT_NONE, .last = true, .rows = rest->rows, .ns = rest->ns};
}
char *pinsight_tree_reason(const struct pinsight_tree_line *line, double threshold);

/* A row of the call tree: a node of the model; or several that are not the user's code, each called
 * by another of them. */
struct pinsight_tree_node {
    uint32_t node;   /* of the model: the outermost */
    uint32_t parent; /* a row, or PINSIGHT_NONE */
    uint32_t frames; /* nodes that it is */
    bool users;      /* it is the user's code */
    uint64_t calls, total_ns, self_ns;
    char *packages; /* of several nodes: "asyncio, aiohttp", or NULL where none is known; owned */
};

struct pinsight_tree_nodes {
    struct pinsight_tree_node *nodes; /* parents before their children */
    size_t count, capacity;
    bool folded; /* frames of libraries may be one row; else the rows are the model's nodes */
};

/* With fold, frames that are not the user's are one row each; unless nothing is the user's. */
struct pinsight_tree_nodes pinsight_tree_nodes_make(const struct pinsight_report *report,
                                                    bool fold);
void pinsight_tree_nodes_free(struct pinsight_tree_nodes *nodes);

/* As a list of the model's nodes under the key "tree". */
void pinsight_tree_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit);
/* On a screen. */
void pinsight_section_tree(const struct pinsight_report *report, FILE *out, size_t limit);

#endif
