/* Draws the lines that lead to the nodes of a tree on a screen. */
#ifndef PINSIGHT_VIEWS_REPORT_BRANCHES_H
#define PINSIGHT_VIEWS_REPORT_BRANCHES_H

#include "views/report/tree.h"

#include <stdbool.h>
#include <stddef.h>

#define PINSIGHT_MOST_INDENT 64
/* The least width of a name, in columns, however deep its line is. */
#define PINSIGHT_LEAST_NAME 16

/* The drawn part of a tree: for each level, whether another branch follows on it. */
struct pinsight_branches {
    bool open[PINSIGHT_MOST_INDENT + 1];
    size_t most; /* levels that are indented; deeper lines are not moved further to the right */
};

/* Starts a tree. `width` is the screen's width in columns. `taken` is the number of columns beside
 * the name on each line. */
struct pinsight_branches pinsight_branches_start(unsigned width, size_t taken);

/* Returns the branches before the name of the next node, such as "│ ├ ". The caller frees the text.
 * Nodes have to be given in the order in which they are shown. */
char *pinsight_branches_next(struct pinsight_branches *branches,
                             const struct pinsight_tree_line *line);

/* Returns a name with a mark behind it, safe for a terminal. The caller frees the text. The name is
 * shortened to `room` columns, or to PINSIGHT_LEAST_NAME if that is more. */
char *pinsight_branches_name(const char *name, const char *mark, size_t room);

#endif
