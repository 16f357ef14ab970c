/*
 * Memory blocks in use, by address: their owners and sizes. Calls nothing else. Calls of all
 * functions must not overlap.
 */
#ifndef PINSIGHT_PYTHON_LIVE_BLOCKS_H
#define PINSIGHT_PYTHON_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_live_block {
    uintptr_t address; /* 0: none */
    uint32_t owner;
    uint32_t coded_size;
};

/* Zeroed at the start. */
struct pinsight_live_blocks {
    struct pinsight_live_block *at;
    uint32_t room, count; /* room is a power of two, or 0 */
};

/* Encodes a size. From 2 GiB on, the code is a number of pages. */
static inline uint32_t pinsight_live_code(size_t size) {
    return size < UINT32_C(1) << 31 ? (uint32_t)size
                                    : UINT32_C(1) << 31 | (uint32_t)((size + 4095) >> 12);
}

static inline uint64_t pinsight_live_size(const struct pinsight_live_block *block) {
    uint64_t pages = block->coded_size & ~(UINT32_C(1) << 31);
    return block->coded_size >> 31 ? pages << 12 : block->coded_size;
}

/* Adds a block. *old gets the block that had the same address. Returns false if memory is short. */
bool pinsight_live_put(struct pinsight_live_blocks *blocks, struct pinsight_live_block block,
                       struct pinsight_live_block *old);

/* Removes the block at an address. Returns it, or a block with address 0 if there is none. */
struct pinsight_live_block pinsight_live_take(struct pinsight_live_blocks *blocks,
                                              const void *address);

void pinsight_live_clear(struct pinsight_live_blocks *blocks);

#endif
