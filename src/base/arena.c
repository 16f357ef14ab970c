/* Arenas; see arena.h. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)4096)

struct block {
    struct block *next;
    size_t used, room;
    alignas(max_align_t) char bytes[];
};

struct pinsight_arena {
    struct block *blocks; /* newest first */
};

struct pinsight_arena *pinsight_arena_new(void) {
    return calloc(1, sizeof(struct pinsight_arena));
}

void *pinsight_arena_take(struct pinsight_arena *arena, size_t size) {
    const size_t unit = alignof(max_align_t);

    if (size > (size_t)-1 / 2)
        return NULL;
    size = (size + unit - 1) / unit * unit;
    struct block *block = arena->blocks;
    if (!block || block->room - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = calloc(1, sizeof(struct block) + room);
        if (!block)
            return NULL;
        block->room = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *taken = block->bytes + block->used;
    block->used += size;
    return taken;
}

char *pinsight_arena_text(struct pinsight_arena *arena, const char *text, size_t length) {
    char *copy = pinsight_arena_take(arena, length + 1);

    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

void pinsight_arena_free(struct pinsight_arena *arena) {
    if (!arena)
        return;
    while (arena->blocks) {
        struct block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    free(arena);
}
