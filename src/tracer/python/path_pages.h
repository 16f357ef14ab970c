/* Memory of the call paths. Data that every new path needs lie together, so that few cache lines
 * are fetched. Memory that grows is never freed. */
#ifndef PINSIGHT_PYTHON_PATH_PAGES_H
#define PINSIGHT_PYTHON_PATH_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* For a function that only prefetches memory. Without inlining, the compiler would remove its calls
 * as calls without an effect. */
#define PINSIGHT_PATH_PREFETCH static inline __attribute__((always_inline))

/* The section of variables under the lock that every new path reads. */
#define PINSIGHT_PATH_NEAR __attribute__((section("pinsight_path_near")))

/* Prefetches that section. */
PINSIGHT_PATH_PREFETCH void pinsight_path_near_prefetch(void) {
    extern char near_begin[] __asm__("__start_pinsight_path_near")
        __attribute__((visibility("hidden")));
    extern char near_end[] __asm__("__stop_pinsight_path_near")
        __attribute__((visibility("hidden")));
    for (const char *at = near_begin; at < near_end; at += 64)
        __builtin_prefetch(at, 1);
}

/* Returns the number of items for which there is room, at most `most` and at least `step`. They may
 * take a 64th of the process's address space (`ulimit -v`). */
static inline uint32_t pinsight_path_most(uint32_t most, uint32_t step, size_t size) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return most;
    rlim_t fit = limit.rlim_cur / 64 / size / step * step;
    return fit >= most ? most : fit > step ? (uint32_t)fit : step;
}

/* Reserves addresses for `size` bytes. Returns NULL on failure. */
static inline void *pinsight_path_reserve(size_t size) {
    void *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

/* Makes the next pages of reserved addresses usable, from `at` on, zeroed. The pages are mapped at
 * once, because a page fault costs more than a path. Returns false if memory is short. `at` and
 * `size` are whole pages. */
static inline bool pinsight_path_use(void *at, size_t size) {
    return mmap(at, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

#endif
