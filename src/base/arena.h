/* An arena: memory that is allocated piece by piece and freed at once. Not thread-safe. */
#ifndef PINSIGHT_BASE_ARENA_H
#define PINSIGHT_BASE_ARENA_H

#include <stddef.h>

struct pinsight_arena;

/* Makes an arena. Returns NULL if there is no memory. */
struct pinsight_arena *pinsight_arena_new(void);

/* Allocates `size` zeroed bytes, aligned for any type, that live as long as the arena. Returns NULL
 * if there is no memory. */
void *pinsight_arena_take(struct pinsight_arena *arena, size_t size);

/* Copies `length` bytes of a text and adds a zero byte. Returns NULL if there is no memory. */
char *pinsight_arena_text(struct pinsight_arena *arena, const char *text, size_t length);

/* Frees the arena and everything that was allocated from it. NULL is allowed. */
void pinsight_arena_free(struct pinsight_arena *arena);

#endif
