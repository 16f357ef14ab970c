/*
 * Counting for MONITORING: the number and the time of each lexgion's executions, by call path.
 *
 * A node is one call path of one thread. It has a parent, the lexgion that is executed there, and
 * the place of the call. All domains share the tree of a thread: native work is beneath the Python
 * that called it. A hash table finds the node of an execution that begins. Only a new path needs an
 * allocation or a lock.
 *
 * Times are sums over executions that ended: `inclusive` of the node itself, and `children` of its
 * direct children. The difference is the node's own time.
 */
#ifndef PINSIGHT_CORE_COUNT_H
#define PINSIGHT_CORE_COUNT_H

#include "format/persistent.h"
#include "tracer/core/clock.h"
#include "tracer/core/lexgion.h"

/* The number of nodes of a process after which executions are counted by caller and callee. After
 * twice as many, they are counted by callee alone. */
#define PINSIGHT_COUNT_PATHS 500000u

/* Pages of nodes. Each page has twice as many nodes as the one before. */
#define PINSIGHT_COUNT_PAGES 24

/* The tree of a thread. Only the thread changes it. Other threads read it under the count lock. */
struct pinsight_count_tree {
    struct pinsight_count_node *innermost; /* of the open, counted executions; or the root */
    struct pinsight_count_node **table;    /* by hash; NULL for free slots */
    size_t mask;
    uint32_t count; /* nodes in use or freed, of all pages */
    uint32_t gone;  /* nodes among them whose lexgion was freed */
    uint32_t last_number;
    uint32_t tid;
    int32_t python_thread_id; /* -1: no number yet */
    uint32_t alive;           /* nodes in use: this tree's share of the process's number */
    uint32_t breaks;          /* how often open executions were discarded from outside */
    struct pinsight_count_node *free;
    /* Bit n is set if page n lies in memory that outlives the process (format/persistent.h). It
     * belongs to this process if `kept_round` is the present round of forks. */
    uint32_t kept, kept_round;
    struct pinsight_count_node *pages[PINSIGHT_COUNT_PAGES];
    struct pinsight_count_node root;
};

/* Finds or makes the node like pinsight_count_child(), after a miss at the first slot. Slow path.
 * Called by the thread itself. */
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

/* Returns the child of a node for a lexgion that is called at a place. Makes a new node if there is
 * none. Returns NULL if memory is short. */
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

/* Adds to a number that only the calling thread writes and other threads may read. Returns the
 * sum. */
PINSIGHT_ALWAYS_INLINE uint64_t pinsight_add(uint64_t *number, uint64_t more) {
    uint64_t sum = *number + more;
    PINSIGHT_PUT(*number, sum);
    return sum;
}

/* Adds the time of an execution that has ended. */
PINSIGHT_ALWAYS_INLINE void pinsight_count_took(struct pinsight_count_node *node, uint64_t ticks) {
    pinsight_add(&node->inclusive, ticks);
    if (PINSIGHT_UNLIKELY(ticks > node->longest))
        PINSIGHT_PUT(node->longest, ticks);
}

/* ---- slow paths ---- */

/* Returns the innermost traced execution around an execution at `node`, or NULL. A traced execution
 * there is a child of `node`, and none of the traced one: the events of both show that one is
 * within the other. */
static inline struct pinsight_count_node *
pinsight_count_traced_around(struct pinsight_count_node *node) {
    while (node && !(node->place & PINSIGHT_COUNT_TRACED))
        node = node->parent;
    return node;
}

struct pinsight_core_thread;

/* Discards the open executions in the tree, after a domain has closed all of its own. An execution
 * of another domain that is still open was inside one of them. */
static inline void pinsight_count_break(struct pinsight_count_tree *tree) {
    tree->innermost = &tree->root;
    PINSIGHT_PUT(tree->breaks, tree->breaks + 1);
}

/* Set up the zeroed tree of a new thread; and free the tree of a thread that ends or that a fork
 * left behind. `tid` and the Python number are those of events. */
void pinsight_count_start(struct pinsight_count_tree *tree, uint32_t tid);
void pinsight_count_free(struct pinsight_count_tree *tree);

/* Records path_profile and lexgion_profile for all counts of a domain since the last call, in every
 * thread. Frees dead lexgions. Any thread; under the domain's lock if the engine is not shared. */
PINSIGHT_API void pinsight_count_flush(struct pinsight_engine *engine);

/* Records the counts of one thread, without freeing lexgions. Called by the thread itself. */
PINSIGHT_API void pinsight_count_flush_thread(struct pinsight_engine *engine,
                                              struct pinsight_core_thread *thread);

/* Called when a counted lexgion has died. After a number of calls, it records the counts. Under the
 * domain's lock. */
PINSIGHT_API void pinsight_count_died(struct pinsight_engine *engine,
                                      struct pinsight_lexgion *lexgion);

/* Sets the Python number of a tree's thread. */
void pinsight_count_renumber(struct pinsight_count_tree *tree, int32_t python_thread_id);

/* Discards the parent's counts in a forked child, before the child counts anything, and before the
 * trees are freed. */
void pinsight_count_fork_child(void);

#endif
