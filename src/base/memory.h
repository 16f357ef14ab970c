/* Memory for a reading command: an allocation that fails ends the process with a message, because a
 * report cannot go on without memory and nothing of the user's depends on it. */
#ifndef PINSIGHT_BASE_MEMORY_H
#define PINSIGHT_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed memory for count items of size bytes; never NULL for a size above 0. */
void *pinsight_calloc(size_t count, size_t size);

/* A block resized to count items of size bytes; what is new is not zeroed. */
void *pinsight_realloc(void *block, size_t count, size_t size);

/* A copy of length bytes of text and an ending zero; the caller frees it. */
char *pinsight_memdup(const char *text, size_t length);
char *pinsight_strdup(const char *text);

/* printf into new memory, which the caller frees. */
char *pinsight_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more item in a growing array: doubles *capacity when count has reached it. */
void *pinsight_grow(void *items, size_t count, size_t *capacity, size_t size);

/* Makes an array of *count items have one more than `index` at least: it doubles, and what is new
 * is zeroed. */
void *pinsight_extend(void *items, size_t index, size_t *count, size_t size);

/* The same, which costs a comparison where the array is long enough. */
static inline void *pinsight_reach(void *items, size_t index, size_t *count, size_t size) {
    return index < *count ? items : pinsight_extend(items, index, count, size);
}

#endif
