/* Binds the references of new objects; see references.h. */
#include "tracer/preload/blas/references.h"

#include "tracer/preload/blas/libraries.h"
#include "tracer/preload/blas/trampolines.h"
#include "tracer/preload/loaded.h"

#include "base/got.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- objects ---- */

/* What dl_iterate_phdr() visits. New objects are at the end. */
struct reference_visit {
    unsigned long long loaded, unloaded; /* how many objects were, since the program's start */
    size_t first, count, object_count, capacity;
    struct dl_phdr_info *objects; /* from the first one on; their names are copies */
};

static struct reference_visit seen; /* without `objects`; protected by the lock */
static size_t at_start;
static atomic_bool is_ready;

/* Stops the visit at the first object, which has the number of loaded objects. */
static int note_changes(struct dl_phdr_info *info, size_t size, void *data) {
    struct reference_visit *visit = data;
    (void)size;
    visit->loaded = info->dlpi_adds;
    visit->unloaded = info->dlpi_subs;
    return 1;
}

static int note_counts(struct dl_phdr_info *info, size_t size, void *data) {
    struct reference_visit *visit = data;
    note_changes(info, size, visit);
    visit->count++;
    return 0;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *data) {
    struct reference_visit *visit = data;
    note_counts(info, size, visit);
    if (visit->count <= visit->first || !info->dlpi_name || !*info->dlpi_name)
        return 0;
    if (visit->object_count == visit->capacity) {
        size_t more = visit->capacity ? 2 * visit->capacity : 64;
        struct dl_phdr_info *objects = realloc(visit->objects, more * sizeof(*objects));
        if (!objects)
            return 1;
        visit->objects = objects;
        visit->capacity = more;
    }
    char *path = strdup(info->dlpi_name);
    if (!path)
        return 1;
    visit->objects[visit->object_count] = *info;
    visit->objects[visit->object_count++].dlpi_name = path;
    return 0;
}

/* ---- references ---- */

/* Returns whether a name may be that of a function of BLAS or LAPACK. */
static bool is_alike(const char *name) {
    size_t length = strlen(name);
    return !strncmp(name, "cblas_", 6) || !strncmp(name, "scipy_", 6) ||
           (length && name[length - 1] == '_');
}

/* Returns the trampoline for a slot that leads to an exported trampoline, or will at its first
 * call. Returns NULL if a function of the global scope precedes that of the object's own library.
 */
static void *choose(const struct pinsight_got_slot *slot, void *handle) {
    int number = pinsight_blas_number_at(slot->value);
    if (number < 0 && slot->is_lazy && is_alike(slot->name))
        number = pinsight_blas_number_at(pinsight_blas_symbol(RTLD_DEFAULT, slot->name));
    if (number < 0)
        return NULL;
    const char *name = pinsight_blas_names[number];
    void *function =
        pinsight_blas_symbol(RTLD_NEXT, name) ? NULL : pinsight_blas_symbol(handle, name);
    return function ? pinsight_blas_trampoline_of(function, (unsigned)number) : NULL;
}

static void bind_object(const struct dl_phdr_info *info) {
    void *handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *map = NULL;
    if (!handle)
        return;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_addr == info->dlpi_addr)
        pinsight_got_visit(info, choose, handle);
    pinsight_blas_close(handle);
}

/* Binds the references of objects that were loaded since the last time. */
static void bind_new(void) {
    struct reference_visit now = {0};
    dl_iterate_phdr(note_changes, &now);
    pthread_mutex_lock(&pinsight_blas_lock);
    bool is_same = now.loaded == seen.loaded && now.unloaded == seen.unloaded;
    now = (struct reference_visit){.first = now.unloaded == seen.unloaded ? seen.count : at_start};
    pthread_mutex_unlock(&pinsight_blas_lock);
    if (is_same)
        return;
    dl_iterate_phdr(note_object, &now);
    for (size_t i = 0; i < now.object_count; i++) {
        bind_object(&now.objects[i]);
        free((char *)now.objects[i].dlpi_name);
    }
    free(now.objects);
    pthread_mutex_lock(&pinsight_blas_lock);
    if (now.loaded >= seen.loaded)
        seen = (struct reference_visit){
            .loaded = now.loaded, .unloaded = now.unloaded, .count = now.count};
    pthread_mutex_unlock(&pinsight_blas_lock);
}

/* ---- names that code looks up itself ---- */

/* Returns the function that the name would lead to without PInsight, or NULL: the trampoline of the
 * exported set for one of the global scope. `caller` is in the object that asks, for RTLD_DEFAULT.
 */
static void *function_without(void *found, void *handle, const char *name, const void *caller) {
    int number = pinsight_blas_number_at(found);
    void *function = NULL;
    if (pinsight_blas_symbol(RTLD_NEXT, name))
        return found;
    void *object = handle == RTLD_DEFAULT ? pinsight_loaded_open(pinsight_loaded_at(caller)) : NULL;
    if (object) {
        function = pinsight_blas_symbol(object, name);
        pinsight_blas_close(object);
    }
    return function && pinsight_blas_number_at(function) < 0
               ? pinsight_blas_trampoline_of(function, (unsigned)number)
               : NULL;
}

struct pinsight_blas_lookup pinsight_blas_looked_up(void *handle, const char *name,
                                                    const void *caller) {
    static __thread bool is_here __attribute__((tls_model("initial-exec")));
    struct pinsight_blas_lookup answer = {0};
    int saved_errno = errno;
    if (!pinsight_blas_dlsym && !pinsight_blas_symbol(RTLD_DEFAULT, "dlsym"))
        answer.is_result = 1; /* there is none */
    if (is_here || !atomic_load_explicit(&is_ready, memory_order_acquire))
        return answer;
    is_here = true; /* a function that is replaced, such as malloc(), may look up names */
    bind_new();
    void *found = handle != RTLD_NEXT && is_alike(name) ? pinsight_blas_symbol(handle, name) : NULL;
    if (found && pinsight_blas_number_at(found) >= 0) {
        answer.value = function_without(found, handle, name, caller);
        answer.is_result = 1;
        if (!answer.value)
            pinsight_blas_symbol(RTLD_NEXT, name); /* for dlerror() */
    }
    is_here = false;
    errno = saved_errno;
    return answer;
}

static void lock(void) {
    pthread_mutex_lock(&pinsight_blas_lock);
}

static void unlock(void) {
    pthread_mutex_unlock(&pinsight_blas_lock);
}

void pinsight_blas_references_start(void) {
    dl_iterate_phdr(note_counts, &seen);
    at_start = seen.count;
    pthread_atfork(lock, unlock, unlock);
    atomic_store_explicit(&is_ready, true, memory_order_release);
}
