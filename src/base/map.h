/* A hash table from three 32-bit numbers to one: flat, open addressing, no allocation per entry.
 * 64-bit keys are given as their two halves. Not thread-safe.
 *
 * Tables that one thread of the traced program reads while another writes them have lock-free
 * layouts of their own: Python's call paths, frames and callables, native lexgions, and MPI's
 * requests, communicators and objects. */
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

/* All zero is an empty map. */
struct pinsight_map {
    struct pinsight_map_entry *entries;
    uint32_t mask; /* number of entries - 1, a power of two less one */
    uint32_t used;
};

static inline uint32_t pinsight_map_hash(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t h = ((uint64_t)b << 32 | a) * UINT64_C(0x9E3779B97F4A7C15);

    h ^= h >> 29;
    h = (h + c) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(h >> 32);
}

/* The value of a key, or PINSIGHT_MAP_NONE. */
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

/* Sets the value of a key, which may be there already. value must not be PINSIGHT_MAP_NONE. */
void pinsight_map_set(struct pinsight_map *map, uint32_t a, uint32_t b, uint32_t c, uint32_t value);

static inline void pinsight_map_set64(struct pinsight_map *map, uint64_t key, uint32_t value) {
    pinsight_map_set(map, (uint32_t)key, (uint32_t)(key >> 32), 0, value);
}

/* The value of a key; that of a new one is `next`, the number of keys that there are, say. */
static inline uint32_t pinsight_map_number(struct pinsight_map *map, uint32_t a, uint32_t b,
                                           uint32_t c, size_t next) {
    uint32_t value = pinsight_map_get(map, a, b, c);

    if (value == PINSIGHT_MAP_NONE) {
        value = (uint32_t)next;
        pinsight_map_set(map, a, b, c, value);
    }
    return value;
}

/* The number of a key in a list of the things that a map numbers; one of a new key is added, with
 * the initialiser that follows. List, count and capacity are those of PINSIGHT_ADD. */
#define PINSIGHT_NUMBERED(map, a, b, c, items, count, capacity, ...)                               \
    __extension__({                                                                                \
        uint32_t numbered_ = pinsight_map_number(map, a, b, c, count);                             \
        if (numbered_ == (count))                                                                  \
            *PINSIGHT_ADD(items, count, capacity) = (__typeof__(*(items))){__VA_ARGS__};           \
        numbered_;                                                                                 \
    })
/* The same as a pointer, which holds until the next is added. */
#define PINSIGHT_KEYED(map, a, b, c, items, count, capacity, ...)                                  \
    __extension__({                                                                                \
        uint32_t keyed_ = PINSIGHT_NUMBERED(map, a, b, c, items, count, capacity, __VA_ARGS__);    \
        &(items)[keyed_];                                                                          \
    })

/* Frees the entries and leaves an empty map. */
void pinsight_map_clear(struct pinsight_map *map);

/* The same for several: PINSIGHT_MAPS_CLEAR(&a, &b). */
#define PINSIGHT_MAPS_CLEAR(...)                                                                   \
    pinsight_maps_clear((struct pinsight_map *const[]){__VA_ARGS__},                               \
                        sizeof((struct pinsight_map *const[]){__VA_ARGS__}))
/* The same for a list of pointers of `size` bytes. */
void pinsight_maps_clear(struct pinsight_map *const *maps, size_t size);

#endif
