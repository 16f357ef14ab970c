/* Attributes and macros for short hot paths. */
#ifndef PINSIGHT_CORE_INLINE_H
#define PINSIGHT_CORE_INLINE_H

#include <stdlib.h>
#include <string.h>

#define PINSIGHT_LIKELY(x) __builtin_expect(!!(x), 1)
#define PINSIGHT_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* For a function that is called off the hot path. */
#define PINSIGHT_COLD __attribute__((cold))
#define PINSIGHT_ALWAYS_INLINE static inline __attribute__((always_inline))

/* Returns zeroed memory that is aligned to a cache line, for data that every event uses. The caller
 * frees it with free(). Returns NULL if memory is short. */
#define PINSIGHT_LINE 64
static inline void *pinsight_lines_new(size_t bytes) {
    size_t whole = (bytes + PINSIGHT_LINE - 1) / PINSIGHT_LINE * PINSIGHT_LINE;
    void *lines = aligned_alloc(PINSIGHT_LINE, whole);
    return lines ? memset(lines, 0, whole) : NULL;
}

/* Read and write a plain number that other threads also access, without any order. */
#define PINSIGHT_GET(number) __atomic_load_n(&(number), __ATOMIC_RELAXED)
#define PINSIGHT_PUT(number, value) __atomic_store_n(&(number), value, __ATOMIC_RELAXED)

#endif
