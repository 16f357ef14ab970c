/* Items of one size that come and go by the million: from large blocks, and found by a key. Not
 * thread-safe. */
#ifndef PINSIGHT_BASE_SLAB_H
#define PINSIGHT_BASE_SLAB_H

#include <stddef.h>
#include <stdint.h>

/* All zero but the size of an item (a pointer's at least) is empty. */
struct pinsight_slab {
    size_t size;
    void *free;
    char **blocks;
    size_t block_count, block_capacity;
};

/* A zeroed item, which stays where it is; and its end. */
void *pinsight_slab_take(struct pinsight_slab *slab);
void pinsight_slab_give(struct pinsight_slab *slab, void *item);
void pinsight_slab_clear(struct pinsight_slab *slab);

/* What each item of a pool starts with. */
struct pinsight_pool_item {
    uint64_t a, b; /* the key */
    struct pinsight_pool_item *next;
};

/* All zero but the size of an item is empty. */
struct pinsight_pool {
    struct pinsight_slab slab;
    struct pinsight_pool_item **buckets;
    size_t bucket_count, count;
};

/* The item with a key, or NULL; a new one, zeroed but for its key, which must be new; and its end.
 */
void *pinsight_pool_find(const struct pinsight_pool *pool, uint64_t a, uint64_t b);
void *pinsight_pool_add(struct pinsight_pool *pool, uint64_t a, uint64_t b);
void pinsight_pool_remove(struct pinsight_pool *pool, void *item);

/* Calls a function for each item, which it must not remove. */
void pinsight_pool_each(const struct pinsight_pool *pool, void (*call)(void *item, void *data),
                        void *data);
void pinsight_pool_clear(struct pinsight_pool *pool);

#endif
