/* Allocators for millions of items of one size: a slab, and a pool that finds items by a key. Not
 * thread-safe. */
#ifndef PINSIGHT_BASE_SLAB_H
#define PINSIGHT_BASE_SLAB_H

#include <stddef.h>
#include <stdint.h>

/* An empty slab is all zero except for the item size, which is at least the size of a pointer. */
struct pinsight_slab {
    size_t size;
    void *free;
    char **blocks;
    size_t block_count, block_capacity;
};

/* Allocates a zeroed item with a stable address; frees an item; frees all items. */
void *pinsight_slab_take(struct pinsight_slab *slab);
void pinsight_slab_give(struct pinsight_slab *slab, void *item);
void pinsight_slab_clear(struct pinsight_slab *slab);

/* The head of each item of a pool. */
struct pinsight_pool_item {
    uint64_t a, b; /* the key */
    struct pinsight_pool_item *next;
};

/* An empty pool is all zero except for the item size. */
struct pinsight_pool {
    struct pinsight_slab slab;
    struct pinsight_pool_item **buckets;
    size_t bucket_count, count;
};

/* Finds the item with a key, or returns NULL. Adds a zeroed item with a new key. Removes and frees
 * an item. */
void *pinsight_pool_find(const struct pinsight_pool *pool, uint64_t a, uint64_t b);
void *pinsight_pool_add(struct pinsight_pool *pool, uint64_t a, uint64_t b);
void pinsight_pool_remove(struct pinsight_pool *pool, void *item);

/* Calls a function for each item. The function must not remove items. */
void pinsight_pool_each(const struct pinsight_pool *pool, void (*call)(void *item, void *data),
                        void *data);
void pinsight_pool_clear(struct pinsight_pool *pool);

#endif
