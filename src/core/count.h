/*
 * Counting for MONITORING: how often each lexgion was executed, and how long, by call path.
 *
 * A node is one call path of one thread: a parent, the lexgion that is executed there, and the
 * place that it is called from. The nodes of a thread are a tree, which all domains share: native
 * work is beneath the Python that called it. A table of hashes finds the node of an execution that
 * begins; nothing is allocated and no lock is taken unless the path is new.
 *
 * Times are sums of executions that ended: `inclusive` of the node, and `children` of what was
 * counted directly in it. What is left is the node's own.
 */
#ifndef PINSIGHT_CORE_COUNT_H
#define PINSIGHT_CORE_COUNT_H

#include "core/clock.h"
#include "core/lexgion.h"
#include "record/kept.h"

/* So many nodes a process has. What is beyond them is counted by caller and callee, and at twice
 * as many by callee alone. */
#define PINSIGHT_COUNT_PATHS 500000u

/* Pages of nodes: each has twice as many as the one before. */
#define PINSIGHT_COUNT_PAGES 24

/* The tree of a thread. The thread's own; others look at it under the count lock. */
struct pinsight_count_tree {
    struct pinsight_count_node *innermost; /* of what is open and counted; the root without */
    struct pinsight_count_node **table;    /* by hash, NULL where a place is free */
    size_t mask;
    uint32_t count; /* nodes that were given out of the pages */
    uint32_t gone;  /* of these: their lexgion is gone */
    uint32_t last_number;
    uint32_t tid;
    int32_t python_thread_id; /* -1: none yet */
    uint32_t alive;           /* in use: part of the process's number */
    uint32_t breaks;          /* what was open was closed from outside so often */
    struct pinsight_count_node *free;
    /* Bit n: page n lies in memory that outlives the process (record/kept.h), of this process as
     * long as it is in that round of forks. */
    uint32_t kept, kept_round;
    struct pinsight_count_node *pages[PINSIGHT_COUNT_PAGES];
    struct pinsight_count_node root;
};

/* The same as the next function, which has looked at the first place. Slow path; the thread's own
 * call. */
PINSIGHT_API struct pinsight_count_node *
pinsight_count_child_look(struct pinsight_engine *engine, struct pinsight_count_tree *tree,
                          struct pinsight_count_node *parent, struct pinsight_lexgion *lexgion,
                          uint64_t place);

PINSIGHT_ALWAYS_INLINE size_t pinsight_count_hash(const struct pinsight_count_node *parent,
                                                  const struct pinsight_lexgion *lexgion,
                                                  uint64_t place) {
    uint64_t hash = ((uintptr_t)parent / PINSIGHT_LINE) * UINT64_C(0x9E3779B97F4A7C15) ^
                    ((uintptr_t)lexgion / 32) * UINT64_C(0xC2B2AE3D27D4EB4F);
    return (size_t)((hash + place * UINT64_C(0x165667B19E3779F9)) >> 36);
}

PINSIGHT_ALWAYS_INLINE bool pinsight_count_is(const struct pinsight_count_node *node,
                                              const struct pinsight_count_node *parent,
                                              const struct pinsight_lexgion *lexgion,
                                              uint64_t place) {
    return node->parent == parent && PINSIGHT_GET(node->lexgion) == lexgion && node->place == place;
}

/* The node of what is called in a node, made where there is none; NULL when memory is short. */
PINSIGHT_ALWAYS_INLINE struct pinsight_count_node *
pinsight_count_child(struct pinsight_engine *engine, struct pinsight_count_tree *tree,
                     struct pinsight_count_node *parent, struct pinsight_lexgion *lexgion,
                     uint64_t place) {
    struct pinsight_count_node *node =
        tree->table[pinsight_count_hash(parent, lexgion, place) & tree->mask];
    if (PINSIGHT_LIKELY(node && pinsight_count_is(node, parent, lexgion, place)))
        return node;
    return pinsight_count_child_look(engine, tree, parent, lexgion, place);
}

/* Adds to a number that only the calling thread writes and others may read. Returns the sum. */
PINSIGHT_ALWAYS_INLINE uint64_t pinsight_add(uint64_t *number, uint64_t more) {
    uint64_t sum = *number + more;
    PINSIGHT_PUT(*number, sum);
    return sum;
}

/* ---- slow paths ---- */

struct pinsight_core_thread;

/* Nothing that a domain counts is open in the tree any more: what of another domain is still open
 * was in it. */
static inline void pinsight_count_break(struct pinsight_count_tree *tree) {
    tree->innermost = &tree->root;
    PINSIGHT_PUT(tree->breaks, tree->breaks + 1);
}

/* Of a new thread, whose tree is zeroed; and of one that ends, or that a fork left behind. `tid`
 * and the thread's Python number are those of events. */
void pinsight_count_start(struct pinsight_count_tree *tree, uint32_t tid);
void pinsight_count_free(struct pinsight_count_tree *tree);

/* Write path_profile and lexgion_profile for what was counted of a domain since the last time, in
 * every thread; free lexgions that are dead. Any thread; under the domain's lock where the engine
 * is not shared. */
PINSIGHT_API void pinsight_count_flush(struct pinsight_engine *engine);

/* The same for one thread, without freeing. Called by the thread itself. */
PINSIGHT_API void pinsight_count_flush_thread(struct pinsight_engine *engine,
                                              struct pinsight_core_thread *thread);

/* Called when a counted lexgion has died. After a number of calls, it records the counts. Under the
 * domain's lock. */
PINSIGHT_API void pinsight_count_died(struct pinsight_engine *engine,
                                      struct pinsight_lexgion *lexgion);

/* The thread whose tree it is has got its Python number. */
void pinsight_count_renumber(struct pinsight_count_tree *tree, int32_t python_thread_id);

/* In a forked child, which has none of its parent's counts: before anything of it may count, and
 * before the trees are freed. */
void pinsight_count_fork_child(void);

#endif
