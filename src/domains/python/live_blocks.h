/*
 * Blocks of memory that live, by address: whose each is, and how large. Pure; one thread at a time
 * calls any of the functions.
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

/* From 2 GiB on a size is a number of pages. */
static inline uint32_t pinsight_live_code(size_t size) {
    return size < UINT32_C(1) << 31 ? (uint32_t)size
                                    : UINT32_C(1) << 31 | (uint32_t)((size + 4095) >> 12);
}

static inline uint64_t pinsight_live_size(const struct pinsight_live_block *block) {
    uint64_t pages = block->coded_size & ~(UINT32_C(1) << 31);
    return block->coded_size >> 31 ? pages << 12 : block->coded_size;
}

/* Put in a block; in *old what was in at its address. False where memory is short. */
bool pinsight_live_put(struct pinsight_live_blocks *blocks, struct pinsight_live_block block,
                       struct pinsight_live_block *old);

/* Take out the block of an address: with address 0 where it is not in. */
struct pinsight_live_block pinsight_live_take(struct pinsight_live_blocks *blocks,
                                              const void *address);

void pinsight_live_clear(struct pinsight_live_blocks *blocks);

#endif
