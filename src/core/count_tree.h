/*
 * The trees of count.h from within: what is known of a node beside what an execution needs, and a
 * way through all of them.
 */
#ifndef PINSIGHT_CORE_COUNT_TREE_H
#define PINSIGHT_CORE_COUNT_TREE_H

#include "core/count.h"

#include <pthread.h>

/* Held by who makes nodes, and by who looks at those of other threads. Recursive: what writes may
 * end a thread's tracing. */
extern pthread_mutex_t pinsight_count_lock;

/* The nodes of a page, and of all before it. */
static inline uint32_t pinsight_count_page_room(unsigned page) {
    return UINT32_C(64) << page;
}

/* Goes through the nodes of a tree that are in use. */
struct pinsight_count_cursor {
    const struct pinsight_count_tree *tree;
    uint32_t at, left; /* in the page; of all */
    unsigned page;
};

static inline struct pinsight_count_cursor
pinsight_count_first(const struct pinsight_count_tree *tree) {
    return (struct pinsight_count_cursor){.tree = tree, .left = tree->count};
}

/* The next one, or NULL. */
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
