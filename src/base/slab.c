/* Slabs, and the chained hash table of pools; see slab.h. */
#include "base/slab.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS_PER_BLOCK 256

void *pinsight_slab_take(struct pinsight_slab *slab) {
    void *item;

    if (!slab->free) {
        if (slab->size < sizeof(slab->free))
            abort(); /* whoever owns the slab forgot its size */
        char *block = pinsight_calloc(ITEMS_PER_BLOCK, slab->size);

        *PINSIGHT_ADD(slab->blocks, slab->block_count, slab->block_capacity) = block;
        for (size_t i = ITEMS_PER_BLOCK; i-- > 0;)
            pinsight_slab_give(slab, block + i * slab->size);
    }
    item = slab->free;
    memcpy(&slab->free, item, sizeof(slab->free));
    memset(item, 0, slab->size);
    return item;
}

void pinsight_slab_give(struct pinsight_slab *slab, void *item) {
    memcpy(item, &slab->free, sizeof(slab->free));
    slab->free = item;
}

void pinsight_slab_clear(struct pinsight_slab *slab) {
    for (size_t i = 0; i < slab->block_count; i++)
        free(slab->blocks[i]);
    free(slab->blocks);
    *slab = (struct pinsight_slab){.size = slab->size};
}

static struct pinsight_pool_item **bucket_of(const struct pinsight_pool *pool, uint64_t a,
                                             uint64_t b) {
    uint64_t hash = (a ^ (b << 32 | b >> 32)) * UINT64_C(0x9E3779B97F4A7C15);

    hash = (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return &pool->buckets[(hash >> 32) & (pool->bucket_count - 1)];
}

void *pinsight_pool_find(const struct pinsight_pool *pool, uint64_t a, uint64_t b) {
    if (!pool->bucket_count)
        return NULL;
    for (struct pinsight_pool_item *item = *bucket_of(pool, a, b); item; item = item->next)
        if (item->a == a && item->b == b)
            return item;
    return NULL;
}

static void grow(struct pinsight_pool *pool) {
    struct pinsight_pool_item **old = pool->buckets;
    size_t count = pool->bucket_count;

    pool->bucket_count = count ? count * 2 : 64;
    pool->buckets = pinsight_calloc(pool->bucket_count, sizeof(struct pinsight_pool_item *));
    for (size_t i = 0; i < count; i++)
        while (old[i]) {
            struct pinsight_pool_item *item = old[i], **bucket = bucket_of(pool, item->a, item->b);

            old[i] = item->next;
            item->next = *bucket;
            *bucket = item;
        }
    free(old);
}

void *pinsight_pool_add(struct pinsight_pool *pool, uint64_t a, uint64_t b) {
    struct pinsight_pool_item *item, **bucket;

    if (pool->count >= pool->bucket_count)
        grow(pool);
    item = pinsight_slab_take(&pool->slab);
    bucket = bucket_of(pool, a, b);
    *item = (struct pinsight_pool_item){.a = a, .b = b, .next = *bucket};
    *bucket = item;
    pool->count++;
    return item;
}

void pinsight_pool_remove(struct pinsight_pool *pool, void *item) {
    struct pinsight_pool_item *gone = item, **at = bucket_of(pool, gone->a, gone->b);

    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    pool->count--;
    pinsight_slab_give(&pool->slab, item);
}

void pinsight_pool_each(const struct pinsight_pool *pool, void (*call)(void *item, void *data),
                        void *data) {
    for (size_t i = 0; i < pool->bucket_count; i++)
        for (struct pinsight_pool_item *item = pool->buckets[i]; item; item = item->next)
            call(item, data);
}

void pinsight_pool_clear(struct pinsight_pool *pool) {
    pinsight_slab_clear(&pool->slab);
    free(pool->buckets);
    pool->buckets = NULL;
    pool->bucket_count = pool->count = 0;
}
