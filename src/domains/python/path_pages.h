/* Memory of the call paths: what all of them need stands together, so that little has to be fetched
 * for a new one; what grows is never given back. */
#ifndef PINSIGHT_PYTHON_PATH_PAGES_H
#define PINSIGHT_PYTHON_PATH_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Of a function that only fetches memory for later: the compiler would take it for one without an
 * effect, and leave it out, where it is not inlined at once. */
#define PINSIGHT_PATH_PREFETCH static inline __attribute__((always_inline))

/* Of what the lock guards, and is looked at for each new path. */
#define PINSIGHT_PATH_NEAR __attribute__((section("pinsight_path_near")))

/* Fetch it. */
PINSIGHT_PATH_PREFETCH void pinsight_path_near_prefetch(void) {
    extern char near_begin[] __asm__("__start_pinsight_path_near")
        __attribute__((visibility("hidden")));
    extern char near_end[] __asm__("__stop_pinsight_path_near")
        __attribute__((visibility("hidden")));
    for (const char *at = near_begin; at < near_end; at += 64)
        __builtin_prefetch(at, 1);
}

/* So many of `most` items there is room for: they may take a 64th of the addresses that the process
 * may have (`ulimit -v`), and are `step` at least. */
static inline uint32_t pinsight_path_most(uint32_t most, uint32_t step, size_t size) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return most;
    rlim_t fit = limit.rlim_cur / 64 / size / step * step;
    return fit >= most ? most : fit > step ? (uint32_t)fit : step;
}

/* Room for so much, of which nothing is there yet; NULL where there is none. */
static inline void *pinsight_path_reserve(size_t size) {
    void *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

/* The next pages of that room, from `at` on, zeroed, and there at once: a page that comes with its
 * first use costs more than a path does. False where memory is short. `at` and `size` are whole
 * pages. */
static inline bool pinsight_path_use(void *at, size_t size) {
    return mmap(at, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

#endif
