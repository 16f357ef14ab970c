/* Memory of the call paths, which is never given back. */
#ifndef PINSIGHT_PYTHON_PATH_PAGES_H
#define PINSIGHT_PYTHON_PATH_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

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
