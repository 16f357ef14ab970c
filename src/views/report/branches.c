/* Draws the branches of trees; see branches.h. */
#include "views/report/branches.h"

#include "base/ascii.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct pinsight_branches pinsight_branches_start(unsigned width, size_t taken) {
    struct pinsight_branches branches = {.most = 0};
    size_t room = width, least = taken + PINSIGHT_LEAST_NAME;
    size_t levels = room > least ? (room - least) / 2 : 0;

    branches.most = levels < 4 ? 4 : levels > PINSIGHT_MOST_INDENT ? PINSIGHT_MOST_INDENT : levels;
    return branches;
}

char *pinsight_branches_next(struct pinsight_branches *branches,
                             const struct pinsight_tree_line *line) {
    size_t depth = line->depth < branches->most ? line->depth : branches->most;
    bool ascii = pinsight_ascii_wanted();
    char *text = pinsight_calloc(depth * 8 + 16, 1);

    if (line->depth <= PINSIGHT_MOST_INDENT)
        branches->open[line->depth] = !line->last;
    for (size_t level = 1; level < depth; level++)
        strcat(text, !branches->open[level] ? "  " : ascii ? "| " : "│ ");
    if (depth)
        strcat(text, line->last ? (ascii ? "`-" : "└ ") : (ascii ? "|-" : "├ "));
    return text;
}

char *pinsight_branches_name(const char *name, const char *mark, size_t room) {
    char *clean = pinsight_text_clean(name);
    char *whole = pinsight_ascii_shown(pinsight_format("%s%s", clean, mark));

    whole = pinsight_realloc(whole, strlen(whole) + 4, 1); /* for an ellipsis */
    pinsight_text_cut(whole, room > PINSIGHT_LEAST_NAME ? room : PINSIGHT_LEAST_NAME);
    free(clean);
    return whole;
}
