/* The tree of call paths; see path_tree.h. */
#include "domains/python/path_tree.h"

#include <stdbool.h>
#include <stdlib.h>

#define CHUNK_BITS 10 /* nodes in a chunk */
#define CHUNK (1u << CHUNK_BITS)
#define FIRST_SLOTS 1024u

static struct pinsight_path_node *chunks[PINSIGHT_PATHS_MAX / CHUNK];
static uint32_t count; /* the highest number given */
/* Numbers by the hash of what they stand for; at least half of the slots are 0. */
static uint32_t *slots;
static uint32_t slot_count;

struct pinsight_path_node *pinsight_path_node(uint32_t path) {
    return &chunks[path >> CHUNK_BITS][path & (CHUNK - 1)];
}

uint32_t pinsight_path_count(void) {
    return count;
}

static uint32_t hash(uint32_t parent, uint32_t code, int32_t line) {
    uint64_t mixed = ((uint64_t)parent << 32 | code) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 29 ^ (uint32_t)line) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(mixed >> 32);
}

static bool grow(void) {
    uint32_t wanted = slot_count ? slot_count * 2 : FIRST_SLOTS;
    uint32_t *larger = calloc(wanted, sizeof *larger);
    if (!larger)
        return false;
    for (uint32_t path = 1; path <= count; path++) {
        const struct pinsight_path_node *node = pinsight_path_node(path);
        uint32_t at = hash(node->parent, node->code, node->line) & (wanted - 1);
        while (larger[at])
            at = (at + 1) & (wanted - 1);
        larger[at] = path;
    }
    free(slots);
    slots = larger;
    slot_count = wanted;
    return true;
}

uint32_t pinsight_path_find(uint32_t parent, uint32_t code, int32_t line) {
    bool has_room = count + 1 < PINSIGHT_PATHS_MAX && (count < slot_count / 2 || grow());
    if (!slots)
        return 0;
    uint32_t at = hash(parent, code, line) & (slot_count - 1);
    for (; slots[at]; at = (at + 1) & (slot_count - 1)) {
        const struct pinsight_path_node *node = pinsight_path_node(slots[at]);
        if (node->parent == parent && node->code == code && node->line == line)
            return slots[at];
    }
    if (!has_room)
        return 0;
    uint32_t path = count + 1;
    struct pinsight_path_node **chunk = &chunks[path >> CHUNK_BITS];
    if (!*chunk && !(*chunk = calloc(CHUNK, sizeof **chunk)))
        return 0;
    *pinsight_path_node(path) =
        (struct pinsight_path_node){.parent = parent, .code = code, .line = line};
    slots[at] = path;
    count = path;
    return path;
}
