/* Memory blocks in use; see live_blocks.h. Open addressing without marks of removed items. */
#include "tracer/python/live_blocks.h"

#include <stdlib.h>

#define FIRST_ROOM 4096u
#define ROOM_MAX (UINT32_C(1) << 31)

static inline uint32_t hash(uintptr_t address) {
    return (uint32_t)(((uint64_t)address >> 4) * 0x9e3779b97f4a7c15u >> 32);
}

/* Returns the place of an address, or the free place for it. */
static inline uint32_t find(const struct pinsight_live_blocks *blocks, uintptr_t address) {
    uint32_t mask = blocks->room - 1, at = hash(address) & mask;
    while (blocks->at[at].address && blocks->at[at].address != address)
        at = (at + 1) & mask;
    return at;
}

static bool grow(struct pinsight_live_blocks *blocks) {
    struct pinsight_live_blocks more = {.room = blocks->room ? blocks->room * 2 : FIRST_ROOM,
                                        .count = blocks->count};
    if (blocks->room >= ROOM_MAX || !(more.at = calloc(more.room, sizeof *more.at)))
        return false;
    for (uint32_t i = 0; i < blocks->room; i++)
        if (blocks->at[i].address)
            more.at[find(&more, blocks->at[i].address)] = blocks->at[i];
    free(blocks->at);
    *blocks = more;
    return true;
}

bool pinsight_live_put(struct pinsight_live_blocks *blocks, struct pinsight_live_block block,
                       struct pinsight_live_block *old) {
    if (blocks->count >= blocks->room / 2 && !grow(blocks))
        return false;
    struct pinsight_live_block *place = &blocks->at[find(blocks, block.address)];
    *old = *place;
    *place = block;
    blocks->count += old->address == 0;
    return true;
}

struct pinsight_live_block pinsight_live_take(struct pinsight_live_blocks *blocks,
                                              const void *address) {
    struct pinsight_live_block none = {0};
    if (!blocks->count || !address)
        return none;
    uint32_t mask = blocks->room - 1, hole = find(blocks, (uintptr_t)address);
    struct pinsight_live_block block = blocks->at[hole];
    if (!block.address)
        return none;
    for (uint32_t at = (hole + 1) & mask; blocks->at[at].address; at = (at + 1) & mask) {
        uint32_t home = hash(blocks->at[at].address) & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            blocks->at[hole] = blocks->at[at];
            hole = at;
        }
    }
    blocks->at[hole] = none;
    blocks->count--;
    return block;
}

void pinsight_live_clear(struct pinsight_live_blocks *blocks) {
    free(blocks->at);
    *blocks = (struct pinsight_live_blocks){0};
}
