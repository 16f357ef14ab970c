/* Libraries, and sets of trampolines for them; see libraries.h. */
#include "tracer/preload/blas/libraries.h"

#include "tracer/preload/blas/trampolines.h"
#include "tracer/preload/loaded.h"
#include "tracer/preload/preload.h"

#include "blas/count.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

const char *const pinsight_blas_names[PINSIGHT_BLAS_FUNCTIONS] = {
#include "blas/names.inc"
};

/* A set of trampolines. `path` is NULL while no library has the set. */
static struct set {
    uintptr_t base; /* the load address */
    char *path;
    struct pinsight_blas_target targets[PINSIGHT_BLAS_FUNCTIONS];
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

/* ---- libraries ---- */

static struct known_blas {
    struct pinsight_blas_opened library;
    uintptr_t base; /* the load address */
} libraries[PINSIGHT_BLAS_LIBRARIES];
static unsigned library_count; /* protected by the lock, as the libraries are */

/* Returns the function of OpenBLAS, MKL or BLIS that returns the number of threads, or NULL. */
static int (*find_threads(const struct link_map *map))(void) {
    static const char *const threads_names[] = {
        "openblas_get_num_threads",          "openblas_get_num_threads64_",
        "openblas_get_num_threads_64",       "scipy_openblas_get_num_threads",
        "scipy_openblas_get_num_threads64_", "MKL_Get_Max_Threads",
        "bli_thread_get_num_threads"};
    void *object = *map->l_name ? pinsight_loaded_open(map) : NULL, *found = NULL;
    for (size_t i = 0; object && !found && i < sizeof(threads_names) / sizeof(*threads_names); i++)
        found = pinsight_blas_symbol(object, threads_names[i]);
    if (object)
        pinsight_blas_close(object);
    return (int (*)(void))found;
}

/* Returns the library that was loaded as this object, or NULL. The lock is held. */
static struct pinsight_blas_opened *known_as(const struct link_map *map) {
    for (unsigned i = 0; i < library_count; i++)
        if (libraries[i].base == map->l_addr && !strcmp(libraries[i].library.path, map->l_name))
            return &libraries[i].library;
    return NULL;
}

/* Returns the library of a function. Returns NULL if it is not known. */
static struct pinsight_blas_opened *library_of(const void *function) {
    const struct link_map *map = pinsight_loaded_at(function);
    if (!map)
        return NULL;
    pthread_mutex_lock(&pinsight_blas_lock);
    struct pinsight_blas_opened *found = known_as(map);
    pthread_mutex_unlock(&pinsight_blas_lock);
    if (found)
        return found;
    int (*threads)(void) = find_threads(map);
    char *path = strdup(map->l_name);
    pthread_mutex_lock(&pinsight_blas_lock);
    found = known_as(map); /* another thread may have been faster */
    if (!found && path && library_count + 1 < PINSIGHT_BLAS_LIBRARIES) {
        struct known_blas *made = &libraries[library_count++];
        *made = (struct known_blas){{library_count, path, threads, false}, map->l_addr};
        found = &made->library;
        path = NULL;
    }
    pthread_mutex_unlock(&pinsight_blas_lock);
    free(path);
    return found;
}

const struct pinsight_blas_opened *pinsight_blas_library_with(unsigned number) {
    pthread_mutex_lock(&pinsight_blas_lock);
    bool is_there = number && number <= library_count;
    pthread_mutex_unlock(&pinsight_blas_lock);
    return is_there ? &libraries[number - 1].library : NULL;
}

void pinsight_blas_target_set(struct pinsight_blas_target *target, void *function) {
    const struct pinsight_blas_opened *library = library_of(function);
    atomic_store_explicit(&target->library, library, memory_order_relaxed);
    atomic_store_explicit(&target->to, function, memory_order_release);
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
    pthread_mutex_unlock(&pinsight_blas_lock);
    if (set)
        pinsight_blas_target_set(&set->targets[number], function);
    else {
        struct pinsight_blas_opened *library = library_of(function);
        if (library)
            atomic_store(&library->left_out, true);
        pinsight_message_once("many-blas",
                              "the process has more than %d libraries of BLAS with the same "
                              "names; calls of %s and of later ones are not recorded",
                              PINSIGHT_BLAS_SETS - 1, map->l_name);
        return function;
    }
    size_t entry = (size_t)(set - sets) * PINSIGHT_BLAS_FUNCTIONS + number;
    return pinsight_blas_entries + entry * PINSIGHT_BLAS_ENTRY_BYTES;
}

const struct pinsight_blas_target *pinsight_blas_target_of(unsigned entry) {
    return &sets[entry / PINSIGHT_BLAS_FUNCTIONS].targets[entry % PINSIGHT_BLAS_FUNCTIONS];
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
            atomic_store_explicit(&sets[i].targets[n].to, NULL, memory_order_relaxed);
    }
    pthread_mutex_unlock(&pinsight_blas_lock);
}
