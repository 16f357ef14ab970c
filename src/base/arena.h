/* Memory that is taken piece by piece and given back at once. One thread at a time. */
#ifndef PINSIGHT_BASE_ARENA_H
#define PINSIGHT_BASE_ARENA_H

#include <stddef.h>

struct pinsight_config_arena;

/* A new one, or NULL where there is no memory. */
struct pinsight_config_arena *pinsight_config_arena_new(void);

/* `size` bytes of zeros, aligned for anything, until the arena is freed; NULL for no memory. */
void *pinsight_config_arena_take(struct pinsight_config_arena *arena, size_t size);

/* A copy of a text with an end; NULL for no memory. */
char *pinsight_config_arena_text(struct pinsight_config_arena *arena, const char *text,
                                 size_t length);

/* Frees it and all that was taken. NULL is allowed. */
void pinsight_config_arena_free(struct pinsight_config_arena *arena);

#endif
