/*
 * The inside of the trees of count.h: a walk over all nodes of a tree, for writing the counts.
 */
#ifndef PINSIGHT_CORE_COUNT_TREE_H
#define PINSIGHT_CORE_COUNT_TREE_H

#include "tracer/core/count.h"

#include <pthread.h>

/* Held for making nodes, and for looking at other threads' nodes. Recursive, because writing counts
 * may end a thread's tracing, which writes counts. */
extern pthread_mutex_t pinsight_count_lock;

/* Returns the number of nodes of a page. It is 64 more than the number of all nodes before it. */
static inline uint32_t pinsight_count_page_room(unsigned page) {
    return UINT32_C(64) << page;
}

/* A walk over the nodes of a tree that are in use. */
struct pinsight_count_cursor {
    const struct pinsight_count_tree *tree;
    uint32_t at, left; /* index in the page; nodes left in all pages */
    unsigned page;
};

static inline struct pinsight_count_cursor
pinsight_count_first(const struct pinsight_count_tree *tree) {
    return (struct pinsight_count_cursor){.tree = tree, .left = tree->count};
}

/* Returns the next node, or NULL. */
static inline struct pinsight_count_node *
pinsight_count_next(struct pinsight_count_cursor *cursor) {
    while (cursor->left > 0) {
        if (cursor->at == pinsight_count_page_room(cursor->page)) {
            cursor->page++;
            cursor->at = 0;
        }
        struct pinsight_count_node *node = &cursor->tree->pages[cursor->page][cursor->at++];
        cursor->left--;
        if (node->account->number)
            return node;
    }
    return NULL;
}

#define PINSIGHT_COUNT_EACH(node, tree)                                                            \
    for (struct pinsight_count_cursor each_##node = pinsight_count_first(tree);                    \
         (node = pinsight_count_next(&each_##node));)

#endif
