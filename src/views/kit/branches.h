/* The lines that lead to the nodes of a tree on a screen. */
#ifndef PINSIGHT_VIEWS_BRANCHES_H
#define PINSIGHT_VIEWS_BRANCHES_H

#include "views/report/tree.h"

#include <stdbool.h>
#include <stddef.h>

#define PINSIGHT_MOST_INDENT 64
/* However deep a line, its name has this many columns. */
#define PINSIGHT_LEAST_NAME 16

/* What is drawn so far: of each level, whether another branch follows there. */
struct pinsight_branches {
    bool open[PINSIGHT_MOST_INDENT + 1];
    size_t most; /* levels that are indented; deeper ones are not moved further to the right */
};

/* taken: columns of a line that are not its name's. */
struct pinsight_branches pinsight_branches_start(unsigned width, size_t taken);

/* The lines before the next node, to be freed: "│ ├ ". Nodes are given in the order of showing. */
char *pinsight_branches_next(struct pinsight_branches *branches,
                             const struct pinsight_tree_line *line);

/* A name with a mark behind it, clean, to be freed: cut to fit into room columns, or into the least
 * that a name has. */
char *pinsight_branches_name(const char *name, const char *mark, size_t room);

#endif
