/* Memory of the call paths, which is never given back. */
#ifndef PINSIGHT_PYTHON_PATH_PAGES_H
#define PINSIGHT_PYTHON_PATH_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed, and there at once: a page that comes with its first use costs more than a path does.
 * NULL where memory is short. */
static inline void *pinsight_path_pages(size_t size) {
    void *pages =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Room for as much, of which nothing is there yet; NULL where there is none. */
static inline void *pinsight_path_reserve(size_t size) {
    void *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

/* The next pages of that room, from `at` on, as pinsight_path_pages() gives them; whether they are
 * there. `at` and `size` are whole pages. */
static inline int pinsight_path_reserved(void *at, size_t size) {
    return mmap(at, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

#endif
