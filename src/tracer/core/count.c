/* The trees of nodes; see count.h. */
#include "tracer/core/count_memory.h"
#include "tracer/core/count_tree.h"

#include "tracer/core/engine.h"

#include <stdlib.h>
#include <string.h>

/* The number of nodes without a lexgion in a tree that triggers their reuse. */
#define GONE_MOST 1024u
/* The table has this many slots for each node. */
#define TABLE_SPACE 4u
#define TABLE_LEAST 256u

pthread_mutex_t pinsight_count_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static _Atomic uint32_t alive; /* nodes of all threads */

/* The table of a tree without nodes. Never written. */
static struct pinsight_count_node *empty[1];

void pinsight_count_start(struct pinsight_count_tree *tree, uint32_t tid) {
    tree->tid = tid;
    tree->python_thread_id = -1;
    tree->innermost = &tree->root;
    tree->table = empty;
}

void pinsight_count_free(struct pinsight_count_tree *tree) {
    pthread_mutex_lock(&pinsight_count_lock);
    pinsight_count_pages_free(tree);
    pthread_mutex_unlock(&pinsight_count_lock);
    if (tree->table != empty)
        free(tree->table);
    atomic_fetch_sub(&alive, tree->alive);
    tree->alive = 0;
}

void pinsight_count_fork_child(void) {
    pinsight_count_lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pinsight_count_memory_fork_child();
}

/* ---- the table ---- */

static void put(struct pinsight_count_node **table, size_t mask, struct pinsight_count_node *node) {
    size_t at = pinsight_count_hash(node->parent, node->lexgion, node->place) & mask;
    while (table[at])
        at = (at + 1) & mask;
    table[at] = node;
}

static struct pinsight_count_node *find(const struct pinsight_count_tree *tree,
                                        const struct pinsight_count_node *parent,
                                        const struct pinsight_lexgion *lexgion, uint64_t place) {
    size_t at = pinsight_count_hash(parent, lexgion, place) & tree->mask;
    struct pinsight_count_node *node;
    while ((node = tree->table[at]) && !pinsight_count_is(node, parent, lexgion, place))
        at = (at + 1) & tree->mask;
    return node;
}

/* Enters all nodes with a lexgion into a new table. */
static bool fill_table(struct pinsight_count_tree *tree, size_t room) {
    struct pinsight_count_node **table = calloc(room, sizeof *table), *node;
    if (!table)
        return false;
    PINSIGHT_COUNT_EACH(node, tree) {
        if (node->lexgion)
            put(table, room - 1, node);
    }
    if (tree->table != empty)
        free(tree->table);
    tree->table = table;
    tree->mask = room - 1;
    return true;
}

/* ---- nodes; the count lock is held ---- */

/* Returns whether all counts of the node are in the trace. */
static bool is_written(const struct pinsight_count_node *node) {
    const struct pinsight_count_account *account = node->account;
    return node->calls == account->calls && node->inclusive == account->inclusive &&
           node->longest <= account->longest &&
           (int64_t)(node->inclusive - node->children) == account->self;
}

static bool is_open(const struct pinsight_count_tree *tree,
                    const struct pinsight_count_node *node) {
    const struct pinsight_count_node *at = tree->innermost;
    while (at && at != node)
        at = at->parent;
    return at;
}

/* Frees nodes whose lexgion is gone, and the nodes beneath them, for reuse. Nodes with counts that
 * are not in the trace stay. */
static void reuse(struct pinsight_count_tree *tree) {
    struct pinsight_count_node *node;
    bool more = true;
    while (more) { /* few rounds: children are mostly behind their parents */
        more = false;
        PINSIGHT_COUNT_EACH(node, tree) {
            if (node->account->is_doomed ||
                (node->lexgion && !(node->parent->account && node->parent->account->is_doomed)))
                continue;
            node->account->is_doomed = more = true;
        }
    }
    /* Nodes without a lexgion are not in the table, so no look-up reaches the nodes beneath them. A
     * node with counts to be written keeps all nodes above it. */
    PINSIGHT_COUNT_EACH(node, tree) {
        if (!node->account->is_doomed || (is_written(node) && !is_open(tree, node)))
            continue;
        for (struct pinsight_count_node *at = node; at->account; at = at->parent)
            at->account->is_doomed = false;
    }
    tree->gone = 0;
    PINSIGHT_COUNT_EACH(node, tree) {
        if (!node->account->is_doomed) {
            tree->gone += !node->lexgion;
            continue;
        }
        struct pinsight_count_account *account = node->account;
        *account = (struct pinsight_count_account){.next_free = tree->free};
        *node = (struct pinsight_count_node){.account = account};
        tree->free = node;
        tree->alive--;
        atomic_fetch_sub(&alive, 1);
    }
    /* without memory, freed nodes stay in the table, which is harmless */
    fill_table(tree, tree->mask + 1);
}

/* Returns an unused node, or NULL. */
static struct pinsight_count_node *take(struct pinsight_count_tree *tree) {
    struct pinsight_count_node *node = tree->free;
    if (node) {
        tree->free = node->account->next_free;
        return node;
    }
    unsigned page = 0;
    uint32_t before = 0;
    while (tree->count - before >= pinsight_count_page_room(page))
        before += pinsight_count_page_room(page++);
    if (!tree->pages[page] &&
        (page == PINSIGHT_COUNT_PAGES ||
         !pinsight_count_page_new(tree, page, pinsight_count_page_room(page))))
        return NULL;
    return &tree->pages[page][tree->count++ - before];
}

static bool is_nested(const struct pinsight_count_node *parent,
                      const struct pinsight_lexgion *lexgion) {
    for (; parent; parent = parent->parent)
        if (parent->lexgion == lexgion)
            return true;
    return false;
}

static struct pinsight_count_node *make(struct pinsight_engine *engine,
                                        struct pinsight_count_tree *tree,
                                        struct pinsight_count_node *parent,
                                        struct pinsight_lexgion *lexgion, uint64_t place) {
    if (tree->gone >= GONE_MOST)
        reuse(tree);
    if ((tree->alive + 1) * TABLE_SPACE > tree->mask + 1 &&
        !fill_table(tree, tree->table == empty ? TABLE_LEAST : 2 * (tree->mask + 1)))
        return NULL;
    struct pinsight_count_node *node = take(tree);
    if (!node)
        return NULL;
    struct pinsight_count_account *account = node->account;
    *account = (struct pinsight_count_account){.engine = engine,
                                               .text = pinsight_count_text(engine, lexgion),
                                               .nested = is_nested(parent, lexgion)};
    *node = (struct pinsight_count_node){
        .parent = parent, .lexgion = lexgion, .place = place, .account = account};
    __atomic_store_n(&account->number, ++tree->last_number, __ATOMIC_RELEASE);
    pinsight_count_page_used(tree);
    put(tree->table, tree->mask, node);
    tree->alive++;
    atomic_fetch_add(&alive, 1);
    PINSIGHT_PUT(lexgion->is_counted, true);
    return node;
}

/* ---- choice of a node ---- */

/* Returns the node of an execution. Makes no new one if the process has `most` nodes already. */
static struct pinsight_count_node *find_or_make(struct pinsight_engine *engine,
                                                struct pinsight_count_tree *tree,
                                                struct pinsight_count_node *parent,
                                                struct pinsight_lexgion *lexgion, uint64_t place,
                                                uint32_t most) {
    struct pinsight_count_node *node = find(tree, parent, lexgion, place);
    if (node || atomic_load_explicit(&alive, memory_order_relaxed) >= most)
        return node;
    pthread_mutex_lock(&pinsight_count_lock);
    node = make(engine, tree, parent, lexgion, place);
    pthread_mutex_unlock(&pinsight_count_lock);
    return node;
}

/* Returns a node when there are too many paths: one by caller and callee, or by callee alone. */
static struct pinsight_count_node *fold(struct pinsight_engine *engine,
                                        struct pinsight_count_tree *tree,
                                        const struct pinsight_count_node *caller,
                                        struct pinsight_lexgion *lexgion, uint64_t place) {
    struct pinsight_count_node *parent = NULL, *node = NULL;
    if (caller->account && caller->lexgion)
        parent = find_or_make(caller->account->engine, tree, &tree->root, caller->lexgion,
                              PINSIGHT_COUNT_FOLDED, 2 * PINSIGHT_COUNT_PATHS);
    if (parent)
        node = find_or_make(engine, tree, parent, lexgion, place | PINSIGHT_COUNT_FOLDED,
                            2 * PINSIGHT_COUNT_PATHS);
    return node ? node
                : find_or_make(engine, tree, &tree->root, lexgion,
                               (place & PINSIGHT_COUNT_PART) | PINSIGHT_COUNT_FOLDED, UINT32_MAX);
}

struct pinsight_count_node *pinsight_count_child_look(struct pinsight_engine *engine,
                                                      struct pinsight_count_tree *tree,
                                                      struct pinsight_count_node *parent,
                                                      struct pinsight_lexgion *lexgion,
                                                      uint64_t place) {
    bool is_folded = parent->place & PINSIGHT_COUNT_FOLDED;
    struct pinsight_count_node *node =
        is_folded ? NULL : find_or_make(engine, tree, parent, lexgion, place, PINSIGHT_COUNT_PATHS);
    return node ? node : fold(engine, tree, parent, lexgion, place);
}
