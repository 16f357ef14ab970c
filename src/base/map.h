/*
 * A hash table from three 32-bit numbers to one. It is flat, with open addressing and no allocation
 * for an entry. A 64-bit key is given as two halves. Not thread-safe.
 *
 * Tables that one thread of the traced program reads while another writes them have lock-free
 * layouts of their own: Python's call paths, frames and callables, native lexgions, and MPI's
 * requests, communicators and objects.
 */
#ifndef PINSIGHT_BASE_MAP_H
#define PINSIGHT_BASE_MAP_H

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#define PINSIGHT_MAP_NONE UINT32_MAX

struct pinsight_map_entry {
    uint32_t a, b, c;
    uint32_t value; /* PINSIGHT_MAP_NONE marks an unused entry */
};

/* An all-zero map is empty. */
struct pinsight_map {
    struct pinsight_map_entry *entries;
    uint32_t mask; /* number of entries (a power of two) - 1 */
    uint32_t used;
};

static inline uint32_t pinsight_map_hash(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t h = ((uint64_t)b << 32 | a) * UINT64_C(0x9E3779B97F4A7C15);

    h ^= h >> 29;
    h = (h + c) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(h >> 32);
}

/* Returns the value of a key, or PINSIGHT_MAP_NONE. */
static inline uint32_t pinsight_map_get(const struct pinsight_map *map, uint32_t a, uint32_t b,
                                        uint32_t c) {
    if (!map->entries)
        return PINSIGHT_MAP_NONE;
    for (uint32_t i = pinsight_map_hash(a, b, c);; i++) {
        const struct pinsight_map_entry *entry = &map->entries[i & map->mask];

        if (entry->value == PINSIGHT_MAP_NONE)
            return PINSIGHT_MAP_NONE;
        if (entry->a == a && entry->b == b && entry->c == c)
            return entry->value;
    }
}

static inline uint32_t pinsight_map_get64(const struct pinsight_map *map, uint64_t key) {
    return pinsight_map_get(map, (uint32_t)key, (uint32_t)(key >> 32), 0);
}

/* Sets the value of a key, and adds the key if it is new. `value` must not be PINSIGHT_MAP_NONE. */
void pinsight_map_set(struct pinsight_map *map, uint32_t a, uint32_t b, uint32_t c, uint32_t value);

static inline void pinsight_map_set64(struct pinsight_map *map, uint64_t key, uint32_t value) {
    pinsight_map_set(map, (uint32_t)key, (uint32_t)(key >> 32), 0, value);
}

/* Returns the value of a key. Adds a new key with the value `next`, for example the number of keys
 * so far. */
static inline uint32_t pinsight_map_number(struct pinsight_map *map, uint32_t a, uint32_t b,
                                           uint32_t c, size_t next) {
    uint32_t value = pinsight_map_get(map, a, b, c);

    if (value == PINSIGHT_MAP_NONE) {
        value = (uint32_t)next;
        pinsight_map_set(map, a, b, c, value);
    }
    return value;
}

/* The index of a key in a list whose items the map numbers. Adds an item for a new key, initialised
 * by the remaining arguments. List, count and capacity are those of PINSIGHT_ADD. */
#define PINSIGHT_NUMBERED(map, a, b, c, items, count, capacity, ...)                               \
    __extension__({                                                                                \
        uint32_t numbered_ = pinsight_map_number(map, a, b, c, count);                             \
        if (numbered_ == (count))                                                                  \
            *PINSIGHT_ADD(items, count, capacity) = (__typeof__(*(items))){__VA_ARGS__};           \
        numbered_;                                                                                 \
    })
/* Like PINSIGHT_NUMBERED, but a pointer to the item, which is valid until the next item is
 * added. */
#define PINSIGHT_KEYED(map, a, b, c, items, count, capacity, ...)                                  \
    __extension__({                                                                                \
        uint32_t keyed_ = PINSIGHT_NUMBERED(map, a, b, c, items, count, capacity, __VA_ARGS__);    \
        &(items)[keyed_];                                                                          \
    })

/* Frees the entries and leaves an empty map. */
void pinsight_map_clear(struct pinsight_map *map);

/* Clears several maps: PINSIGHT_MAPS_CLEAR(&a, &b). */
#define PINSIGHT_MAPS_CLEAR(...)                                                                   \
    pinsight_maps_clear((struct pinsight_map *const[]){__VA_ARGS__},                               \
                        sizeof((struct pinsight_map *const[]){__VA_ARGS__}))
/* Clears each map of an array of pointers, which is `size` bytes long. */
void pinsight_maps_clear(struct pinsight_map *const *maps, size_t size);

#endif
