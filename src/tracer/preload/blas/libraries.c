/* Libraries, and sets of trampolines for them; see libraries.h. */
#include "tracer/preload/blas/libraries.h"

#include "tracer/preload/blas/trampolines.h"
#include "tracer/preload/loaded.h"
#include "tracer/preload/preload.h"

#include "blas/count.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

const char *const pinsight_blas_names[PINSIGHT_BLAS_FUNCTIONS] = {
#include "blas/names.inc"
};

/* A set of trampolines. `path` is NULL while no library has the set. */
static struct set {
    uintptr_t base; /* the load address */
    char *path;
    void *_Atomic to[PINSIGHT_BLAS_FUNCTIONS];
} sets[PINSIGHT_BLAS_SETS];

pthread_mutex_t pinsight_blas_lock = PTHREAD_MUTEX_INITIALIZER;
void *(*pinsight_blas_dlsym)(void *handle, const char *name);

/* ---- the dynamic linker ---- */

/* This library has a dlsym() itself, so the first one is found by its version. */
void *pinsight_blas_symbol(void *handle, const char *name) {
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    void *(*next)(void *, const char *) = pinsight_blas_dlsym;
    for (size_t i = 0; !next && i < sizeof(versions) / sizeof(*versions); i++)
        next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    if (next && !pinsight_blas_dlsym) {
        void *nearer = next(RTLD_NEXT, "dlsym"); /* of another preloaded library */
        pinsight_blas_dlsym = next = nearer ? (void *(*)(void *, const char *))nearer : next;
    }
    return next ? next(handle, name) : NULL;
}

int pinsight_blas_close(void *handle) {
    static int (*_Atomic next)(void *);
    int (*close_library)(void *) = next;
    if (!close_library)
        next = close_library = (int (*)(void *))pinsight_blas_symbol(RTLD_NEXT, "dlclose");
    return close_library ? close_library(handle) : -1;
}

/* ---- sets ---- */

int pinsight_blas_number_at(const void *address) {
    uintptr_t place = (uintptr_t)address - (uintptr_t)pinsight_blas_entries;
    return place < PINSIGHT_BLAS_FUNCTIONS * PINSIGHT_BLAS_ENTRY_BYTES &&
                   place % PINSIGHT_BLAS_ENTRY_BYTES == 0
               ? (int)(place / PINSIGHT_BLAS_ENTRY_BYTES)
               : -1;
}

/* Returns the library's set, which may be a new one, or NULL. The lock is held. */
static struct set *set_of(const struct link_map *map) {
    struct set *free_set = NULL;
    for (unsigned i = 1; i < PINSIGHT_BLAS_SETS; i++) {
        struct set *set = &sets[i];
        if (!set->path)
            free_set = free_set ? free_set : set;
        else if (set->base == map->l_addr && !strcmp(set->path, map->l_name))
            return set;
    }
    if (free_set) {
        free_set->base = map->l_addr;
        free_set->path = strdup(map->l_name);
    }
    return free_set && free_set->path ? free_set : NULL;
}

void *pinsight_blas_trampoline_of(void *function, unsigned number) {
    const struct link_map *map = pinsight_loaded_at(function);
    if (!map)
        return function;
    pthread_mutex_lock(&pinsight_blas_lock);
    struct set *set = set_of(map);
    if (set)
        atomic_store_explicit(&set->to[number], function, memory_order_release);
    pthread_mutex_unlock(&pinsight_blas_lock);
    if (!set) {
        pinsight_message_once("many-blas",
                              "the process has more than %d libraries of BLAS with the same "
                              "names; calls of %s and of later ones are not recorded",
                              PINSIGHT_BLAS_SETS - 1, map->l_name);
        return function;
    }
    size_t entry = (size_t)(set - sets) * PINSIGHT_BLAS_FUNCTIONS + number;
    return pinsight_blas_entries + entry * PINSIGHT_BLAS_ENTRY_BYTES;
}

void *pinsight_blas_function_of(unsigned entry) {
    struct set *set = &sets[entry / PINSIGHT_BLAS_FUNCTIONS];
    return atomic_load_explicit(&set->to[entry % PINSIGHT_BLAS_FUNCTIONS], memory_order_acquire);
}

/* ---- libraries that are unloaded ---- */

struct loaded {
    unsigned long long unloaded; /* how many objects were */
    const char *path[PINSIGHT_BLAS_SETS];
    bool is_there[PINSIGHT_BLAS_SETS];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *data) {
    struct loaded *loaded = data;
    (void)size;
    loaded->unloaded = info->dlpi_subs;
    for (unsigned i = 1; i < PINSIGHT_BLAS_SETS; i++)
        loaded->is_there[i] |= loaded->path[i] && sets[i].base == info->dlpi_addr &&
                               !strcmp(loaded->path[i], info->dlpi_name);
    return 0;
}

void pinsight_blas_libraries_forget(void) {
    static unsigned long long unloaded;
    struct loaded loaded = {0};
    if (!sets[1].path)
        return;
    for (unsigned i = 1; i < PINSIGHT_BLAS_SETS; i++)
        loaded.path[i] = sets[i].path;
    dl_iterate_phdr(look_at, &loaded);
    if (loaded.unloaded == unloaded)
        return;
    unloaded = loaded.unloaded;
    pthread_mutex_lock(&pinsight_blas_lock);
    for (unsigned i = 1; i < PINSIGHT_BLAS_SETS; i++) {
        if (loaded.is_there[i] || !loaded.path[i] || loaded.path[i] != sets[i].path)
            continue;
        sets[i].path = NULL; /* not freed: another thread may read it */
        for (unsigned n = 0; n < PINSIGHT_BLAS_FUNCTIONS; n++)
            atomic_store_explicit(&sets[i].to[n], NULL, memory_order_relaxed);
    }
    pthread_mutex_unlock(&pinsight_blas_lock);
}
