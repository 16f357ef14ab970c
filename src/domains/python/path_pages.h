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

#endif
