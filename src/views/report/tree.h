/* The call tree: who called whom, and for how long. */
#ifndef PINSIGHT_VIEWS_TREE_H
#define PINSIGHT_VIEWS_TREE_H

#include "base/json.h"
#include "views/report/report.h"

/* A node that is shown, in the order of showing: parents before their children, larger totals
 * first. */
struct pinsight_tree_line {
    uint32_t node;  /* in the model */
    uint32_t depth; /* 0 for an outermost one */
    bool last;      /* of its parent's children that are shown */
    bool cut;       /* has children that are not shown */
};

struct pinsight_tree {
    struct pinsight_tree_line *lines;
    size_t count, capacity;
    uint64_t whole_ns; /* of all outermost nodes */
};

/* Nodes by number: the parent of each, which has a smaller number, or PINSIGHT_NONE; and its time.
 */
struct pinsight_tree_source {
    const uint32_t *parents;
    const uint64_t *totals;
    size_t count;
};

/* Chooses which nodes are shown: depth levels (0 is all), and from a share of the whole on, in
 * percent. */
struct pinsight_tree pinsight_tree_choose(const struct pinsight_tree_source *source, int64_t depth,
                                          double threshold);

/* The call tree. Chooses what is shown by options.depth and options.threshold; depth 0 is all. */
struct pinsight_tree pinsight_tree_make(const struct pinsight_report *report, int64_t depth,
                                        double threshold);

/* What a node is: its name, and where it is (file NULL for a C callable). */
const char *pinsight_tree_name(const struct pinsight_report *report, uint32_t node,
                               const char **file, int32_t *line);

/* As a list of nodes under the key "tree". */
void pinsight_tree_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit);
/* On a screen. */
void pinsight_section_tree(const struct pinsight_report *report, FILE *out, size_t limit);

#endif
