/* Memory for commands that read a trace. If an allocation fails, the process ends with a message: a
 * report cannot continue without memory, and no data of the user depends on it. Not for code in the
 * traced process. */
#ifndef PINSIGHT_BASE_MEMORY_H
#define PINSIGHT_BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* Returns zeroed memory for `count` items of `size` bytes; never NULL for a size above 0. */
void *pinsight_calloc(size_t count, size_t size);

/* Resizes a block to `count` items of `size` bytes. New items are not zeroed. */
void *pinsight_realloc(void *block, size_t count, size_t size);

/* Returns a copy of `length` bytes of text with a zero byte at the end. The caller frees it. */
char *pinsight_memdup(const char *text, size_t length);
char *pinsight_strdup(const char *text);

/* Formats like printf into new memory, which the caller frees. */
char *pinsight_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *pinsight_format_list(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));

/* Appends formatted text to *text, an allocated text or NULL for an empty one. May move *text. */
void pinsight_append(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes room for one more item in an array: doubles *capacity if count has reached it. */
void *pinsight_grow(void *items, size_t count, size_t *capacity, size_t size);

/* Adds an item to a growing array and yields a pointer to it. The item is not zeroed. The macro
 * changes `items` and `count`, which must have no side effects. */
#define PINSIGHT_ADD(items, count, capacity)                                                       \
    ((items) = pinsight_grow((items), (count), &(capacity), sizeof(*(items))), &(items)[(count)++])

/* Frees all given blocks, for example the members of a structure and the structure. A block may be
 * NULL. The arguments are read before the first block is freed, so their order does not matter. */
#define PINSIGHT_FREE(...)                                                                         \
    pinsight_free_all((void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}))
/* Frees each block of an array of pointers, which is `size` bytes long. */
void pinsight_free_all(void *const *blocks, size_t size);

/* Extends an array of *count items until it has the item `index`. The array at least doubles; new
 * items are zeroed. */
void *pinsight_extend(void *items, size_t index, size_t *count, size_t size);

/* Like pinsight_extend(), at the cost of one comparison if the array is long enough. */
static inline void *pinsight_reach(void *items, size_t index, size_t *count, size_t size) {
    return index < *count ? items : pinsight_extend(items, index, count, size);
}

#endif
