/* The tree of call paths; see path_tree.h. */
#include "domains/python/path_tree.h"

#include "domains/python/path_pages.h"

#include <stdbool.h>
#include <stdlib.h>

#define CHUNK_BITS 12 /* nodes in a chunk */
#define CHUNK (1u << CHUNK_BITS)
#define FIRST_SLOTS 1024u
#define CACHE_LINE 64u

static struct pinsight_path_node *chunks[PINSIGHT_PATHS_MAX / CHUNK];
static uint32_t count; /* the highest number given */
/* The paths that were not the first below their caller, by the hash of what they stand for; at
 * least half of the slots are 0. */
static uint32_t *slots;
static uint32_t slot_count, slots_used;

struct pinsight_path_node *pinsight_path_node(uint32_t path) {
    return &chunks[path >> CHUNK_BITS][path & (CHUNK - 1)];
}

uint32_t pinsight_path_count(void) {
    return count;
}

void pinsight_path_soon(uint32_t number) {
    uint32_t first = count + 1, last = count + number;
    if (last >= PINSIGHT_PATHS_MAX || !chunks[first >> CHUNK_BITS] || !chunks[last >> CHUNK_BITS])
        return;
    for (uint32_t path = first; path <= last; path += CACHE_LINE / sizeof **chunks)
        __builtin_prefetch(pinsight_path_node(path), 1);
}

static uint32_t hash(uint32_t parent, uint32_t code, int32_t line) {
    uint64_t mixed = ((uint64_t)parent << 32 | code) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 29 ^ (uint32_t)line) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(mixed >> 32);
}

/* The slot of a path, or the free one where it belongs. */
static uint32_t *find_slot(uint32_t parent, uint32_t code, int32_t line) {
    uint32_t at = hash(parent, code, line) & (slot_count - 1);
    for (; slots[at]; at = (at + 1) & (slot_count - 1)) {
        const struct pinsight_path_node *node = pinsight_path_node(slots[at]);
        if (node->parent == parent && node->code == code && node->line == line)
            break;
    }
    return &slots[at];
}

static bool grow(void) {
    uint32_t *old = slots, old_count = slot_count;
    uint32_t wanted = old_count ? old_count * 2 : FIRST_SLOTS;
    uint32_t *larger = calloc(wanted, sizeof *larger);
    if (!larger)
        return false;
    slots = larger;
    slot_count = wanted;
    for (uint32_t i = 0; i < old_count; i++) {
        if (!old[i])
            continue;
        const struct pinsight_path_node *node = pinsight_path_node(old[i]);
        *find_slot(node->parent, node->code, node->line) = old[i];
    }
    free(old);
    return true;
}

/* A new path; 0 where there is no room. */
static uint32_t add(uint32_t parent, uint32_t code, int32_t line) {
    uint32_t path = count + 1;
    if (path >= PINSIGHT_PATHS_MAX)
        return 0;
    struct pinsight_path_node **chunk = &chunks[path >> CHUNK_BITS];
    if (!*chunk && !(*chunk = pinsight_path_pages(CHUNK * sizeof **chunk)))
        return 0;
    *pinsight_path_node(path) =
        (struct pinsight_path_node){.parent = parent, .code = code, .line = line};
    count = path;
    return path;
}

/* Most have one path below them, and a caller that is new has none: so what is found first is kept
 * with the caller, and only others are looked for. */
uint32_t pinsight_path_find(uint32_t parent, uint32_t code, int32_t line) {
    /* Number 0 stands for no path, and for the caller of the outermost ones. */
    if (!chunks[0] && !(chunks[0] = pinsight_path_pages(CHUNK * sizeof *chunks[0])))
        return 0;
    struct pinsight_path_node *caller = pinsight_path_node(parent);
    if (!caller->first)
        return caller->first = add(parent, code, line);
    const struct pinsight_path_node *first = pinsight_path_node(caller->first);
    if (first->code == code && first->line == line)
        return caller->first;
    bool has_room = slots_used < slot_count / 2 || grow();
    if (!slots)
        return 0;
    uint32_t *slot = find_slot(parent, code, line);
    if (!*slot && has_room) {
        *slot = add(parent, code, line);
        slots_used += *slot != 0;
    }
    return *slot;
}
