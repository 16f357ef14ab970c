/* The tree of call paths; see path_tree.h. */
#include "tracer/python/path_tree.h"

#include "tracer/python/path_pages.h"
#include "tracer/python/path_slots.h"

#include <stdbool.h>

#define FIRST_SLOTS 1024u
#define CACHE_LINE 64u
#define TOGETHER 16384u /* nodes that are made at a time: whole pages, also of 64 kB */

PINSIGHT_PATH_NEAR struct pinsight_path_node *pinsight_path_nodes;
PINSIGHT_PATH_NEAR uint32_t pinsight_path_last, pinsight_path_room;
/* The paths that are not the first below their caller. */
PINSIGHT_PATH_NEAR static struct pinsight_path_slots slots;

static uint32_t hash(uint32_t parent, uint32_t code, int32_t line) {
    uint64_t mixed = ((uint64_t)parent << 32 | code) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(mixed >> 32) + (uint32_t)line;
}

void pinsight_path_find_prefetch(uint32_t parent, uint32_t code, int32_t line) {
    if (slots.at)
        __builtin_prefetch(&slots.at[hash(parent, code, line) & (slots.count - 1)], 1);
    if (pinsight_path_room)
        __builtin_prefetch(pinsight_path_node(parent), 1);
}

void pinsight_path_prefetch(uint32_t number) {
    uint32_t last = pinsight_path_last + number < pinsight_path_room ? pinsight_path_last + number
                                                                     : pinsight_path_room;
    if (!pinsight_path_room)
        return;
    for (uint32_t path = pinsight_path_last + 1; path <= last;
         path += CACHE_LINE / sizeof *pinsight_path_nodes)
        __builtin_prefetch(pinsight_path_node(path), 1);
}

/* Returns the slot of a path, or the free slot for it. */
static struct pinsight_path_slot *find_slot(uint32_t parent, uint32_t code, int32_t line) {
    uint32_t wanted = hash(parent, code, line), at = wanted & (slots.count - 1);
    for (; slots.at[at].number; at = (at + 1) & (slots.count - 1)) {
        if (slots.at[at].hash != wanted)
            continue;
        const struct pinsight_path_node *node = pinsight_path_node(slots.at[at].number);
        if (node->parent == parent && node->code == code && node->line == line)
            break;
    }
    return &slots.at[at];
}

/* Makes memory for the node of a new path. */
static bool make(uint32_t path) {
    static uint32_t most;
    if (!pinsight_path_nodes) {
        most = pinsight_path_most(PINSIGHT_PATHS_MAX, TOGETHER, sizeof *pinsight_path_nodes);
        pinsight_path_nodes = pinsight_path_reserve(most * sizeof *pinsight_path_nodes);
    }
    if (!pinsight_path_nodes || path >= most ||
        !pinsight_path_use(&pinsight_path_nodes[pinsight_path_room],
                           TOGETHER * sizeof *pinsight_path_nodes))
        return false;
    pinsight_path_room += TOGETHER;
    return true;
}

/* Adds a path. Returns 0 if there is no room. */
static uint32_t add(uint32_t parent, uint32_t code, int32_t line) {
    uint32_t path = pinsight_path_last + 1;
    if (path >= pinsight_path_room && !make(path))
        return 0;
    *pinsight_path_node(path) =
        (struct pinsight_path_node){.parent = parent, .code = code, .line = line};
    pinsight_path_last = path;
    return path;
}

uint32_t pinsight_path_find_other(uint32_t parent, uint32_t code, int32_t line) {
    /* Number 0 stands for no path, and for the caller of the outermost paths. */
    if (!pinsight_path_room && !make(0))
        return 0;
    struct pinsight_path_node *caller = pinsight_path_node(parent);
    if (!caller->first)
        return caller->first = add(parent, code, line);
    const struct pinsight_path_node *first = pinsight_path_node(caller->first);
    if (first->code == code && first->line == line)
        return caller->first;
    bool has_room = slots.used < slots.count / 2 || pinsight_path_slots_grow(&slots, FIRST_SLOTS);
    if (!slots.at)
        return 0;
    struct pinsight_path_slot *slot = find_slot(parent, code, line);
    if (!slot->number && has_room) {
        *slot = (struct pinsight_path_slot){.hash = hash(parent, code, line),
                                            .number = add(parent, code, line)};
        slots.used += slot->number != 0;
    }
    return slot->number;
}
