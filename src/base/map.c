/* The parts of the hash table that are not on the hot path. */
#include "base/map.h"

#include "base/memory.h"

static struct pinsight_map_entry *find_place(struct pinsight_map *map, uint32_t a, uint32_t b,
                                             uint32_t c) {
    for (uint32_t i = pinsight_map_hash(a, b, c);; i++) {
        struct pinsight_map_entry *entry = &map->entries[i & map->mask];

        if (entry->value == PINSIGHT_MAP_NONE || (entry->a == a && entry->b == b && entry->c == c))
            return entry;
    }
}

static void resize(struct pinsight_map *map, uint32_t size) {
    struct pinsight_map old = *map;

    map->entries = pinsight_realloc(NULL, size, sizeof(*map->entries));
    map->mask = size - 1;
    for (uint32_t i = 0; i < size; i++)
        map->entries[i].value = PINSIGHT_MAP_NONE;
    for (uint32_t i = 0; old.entries && i <= old.mask; i++) {
        const struct pinsight_map_entry *entry = &old.entries[i];

        if (entry->value != PINSIGHT_MAP_NONE)
            *find_place(map, entry->a, entry->b, entry->c) = *entry;
    }
    free(old.entries);
}

void pinsight_map_set(struct pinsight_map *map, uint32_t a, uint32_t b, uint32_t c,
                      uint32_t value) {
    struct pinsight_map_entry *entry;

    if (!map->entries || map->used * 2 > map->mask)
        resize(map, map->entries ? (map->mask + 1) * 2 : 16);
    entry = find_place(map, a, b, c);
    if (entry->value == PINSIGHT_MAP_NONE)
        map->used++;
    *entry = (struct pinsight_map_entry){a, b, c, value};
}

void pinsight_map_clear(struct pinsight_map *map) {
    free(map->entries);
    *map = (struct pinsight_map){0};
}

void pinsight_maps_clear(struct pinsight_map *const *maps, size_t size) {
    for (size_t i = 0; i < size / sizeof(*maps); i++)
        pinsight_map_clear(maps[i]);
}
