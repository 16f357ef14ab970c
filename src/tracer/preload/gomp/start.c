/*
 * libpinsight-gomp.so precedes GCC's OpenMP in the dynamic linker's search. The library redirects
 * each call to the libgomp that the caller would have called without PInsight. A process may have
 * several, under several names: that of the system, and those in wheels.
 *
 * The caller's libgomp is the one in the global scope (of the program itself, or opened with
 * RTLD_GLOBAL), if there is one. Otherwise it is the first among the libraries that the caller's
 * object is linked with. A libgomp of the program's start is in the scope of all later objects, so
 * the trampolines lead to it at once. Otherwise a list has the libgomp of each calling object.
 */
#include "tracer/preload/callers.h"
#include "tracer/preload/gomp/trampolines.h"
#include "tracer/preload/loaded.h"
#include "tracer/preload/opening.h"
#include "tracer/preload/preload.h"

#include "tracer/openmp/gomp_shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define OUTLINED(name) #name,
#define CALL(name) #name,
#include "tracer/openmp/gomp_functions.def"
};

enum gomp_kind { OUTLINED_ONE, CALL_ONE, WATCHED_ONE };
static const enum gomp_kind kinds[] = {
#define OUTLINED(name) OUTLINED_ONE,
#define CALL(name) CALL_ONE,
#define WATCHED(name) WATCHED_ONE,
#include "tracer/openmp/gomp_functions.def"
};

static struct pinsight_gomp_runtime *_Atomic global; /* loaded at the program's start */
static struct pinsight_gomp_runtime *_Atomic any;    /* the first that was found */
static void *_Atomic wrappers[PINSIGHT_GOMP_FUNCTIONS];
static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* for changes; its holder waits for nothing else */
static struct pinsight_callers callers = {.lock = &lock};
static __thread const struct pinsight_gomp_runtime *current
    __attribute__((tls_model("initial-exec")));
static struct pinsight_opening opening;

/* ---- libgomps ---- */

/* Makes a runtime with the functions of a library. If the library is in the global scope, takes all
 * functions that follow ours there: another tool may precede libgomp, too. */
static struct pinsight_gomp_runtime *make_runtime(const struct link_map *map, bool is_global) {
    struct pinsight_gomp_runtime *made = calloc(1, sizeof(*made));
    void *opened = made ? pinsight_loaded_open(map) : NULL;
    void *library = is_global ? RTLD_NEXT : opened;
    if (!opened) {
        free(made);
        return NULL;
    }
    made->base = map->l_ld;
    made->has_tools = pinsight_loaded_at(dlsym(opened, "__kmpc_fork_call")) == map;
    for (unsigned i = 0; i < PINSIGHT_GOMP_FUNCTIONS; i++)
        made->next[i] = dlsym(library, names[i]);
#define FIND(name) made->name = (int (*)(void))dlsym(library, "omp_" #name)
    FIND(get_level);
    FIND(in_final);
    FIND(get_num_threads);
    FIND(get_thread_num);
    FIND(get_max_threads);
    FIND(get_num_teams);
    FIND(get_team_num);
#undef FIND
    dlclose(opened);
    return made;
}

/* The known runtimes. Changes need the lock. No entry is ever removed. */
static struct known {
    struct pinsight_gomp_runtime *runtime;
    struct known *next;
} * _Atomic known;

static struct pinsight_gomp_runtime *find_known(const struct link_map *map) {
    for (struct known *at = known; at; at = at->next)
        if (at->runtime->base == (const void *)map->l_ld)
            return at->runtime;
    return NULL;
}

/* Returns the runtime that a function belongs to. */
static struct pinsight_gomp_runtime *runtime_at(const void *function, bool is_global) {
    const struct link_map *map = pinsight_loaded_at(function);
    struct pinsight_gomp_runtime *found = map ? find_known(map) : NULL;
    if (found || !map)
        return found;
    struct pinsight_gomp_runtime *made = make_runtime(map, is_global);
    struct known *item = made ? calloc(1, sizeof(*item)) : NULL;
    pthread_mutex_lock(&lock);
    found = find_known(map); /* another thread may have been faster */
    if (!found && item) {
        *item = (struct known){.runtime = made, .next = known};
        found = made;
        known = item;
        item = NULL;
        made = NULL;
    }
    if (!any)
        any = found;
    pthread_mutex_unlock(&lock);
    free(item);
    free(made);
    return found;
}

/* Returns GOMP_parallel from the libraries that an object is linked with, searched by breadth.
 * Returns NULL if there is none. */
static void *linked_with(const struct link_map *map) {
    /* The scope of the program itself would begin with this library. */
    void *object = *map->l_name ? pinsight_loaded_open(map) : NULL;
    void *found = object ? dlsym(object, "GOMP_parallel") : NULL;
    if (object)
        dlclose(object);
    return found;
}

/* Returns the libgomp that an object has or is linked with. Returns NULL if there is none. */
static void *look_for_gomp(void *object) {
    void *function = dlsym(object, "GOMP_parallel");
    const struct link_map *map = pinsight_loaded_at(function);
    return map && map != pinsight_loaded_at(&callers) ? runtime_at(function, false) : NULL;
}

/* Returns any libgomp of the process, by its name. */
static struct pinsight_gomp_runtime *find_any(void) {
    return pinsight_loaded_find("gomp", look_for_gomp);
}

/* ---- callers ---- */

/* Searches the loaded objects for functions that are newer than the table. Does not wait for
 * another thread, which may have the dynamic linker's lock, and wait for this one. */
static void look_for_newer(const struct pinsight_gomp_runtime *runtime) {
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    const struct link_map *map = pinsight_loaded_at(runtime->base);
    if (!map || runtime->has_tools || atomic_flag_test_and_set(&busy))
        return;
    pinsight_gomp_newer_look(map);
    atomic_flag_clear(&busy);
}

/* Returns the runtime that the code at an address calls, or NULL if the address does not determine
 * it. */
static const struct pinsight_gomp_runtime *bound_to(const void *address) {
    const struct pinsight_caller *caller = pinsight_callers_find(&callers, address);
    if (caller)
        return caller->bound;
    const struct link_map *map = pinsight_loaded_at(address);
    struct pinsight_gomp_runtime *found = map ? find_known(map) : NULL;
    if (map && !found) {
        void *function = dlsym(RTLD_NEXT, "GOMP_parallel");
        bool is_global = function;
        function = is_global ? function : linked_with(map);
        found = function ? runtime_at(function, is_global) : NULL;
    }
    if (map)
        pinsight_callers_add(&callers, address, found);
    if (found && atomic_load_explicit(&opening.is_open, memory_order_relaxed))
        look_for_newer(found);
    return found;
}

static __attribute__((noinline)) const struct pinsight_gomp_runtime *
find_among(const void *address, const void *outlined) {
    const struct pinsight_gomp_runtime *found = outlined ? bound_to(outlined) : NULL;
    if (!found)
        found = bound_to(address);
    if (!found)
        found = current;
    if (!found)
        found = any;
    return found ? found : find_any();
}

/* Returns the runtime for a call. Runs for each call of a wrapper. */
static const struct pinsight_gomp_runtime *find(const void *address, const void *outlined) {
    const struct pinsight_gomp_runtime *found = global;
    return found ? found : find_among(address, outlined);
}

/* Forgets objects that were unloaded, because others may be loaded at their addresses. */
static void forget_gone(void) {
    for (struct known *at = known; at; at = at->next) {
        if (!at->runtime->base || pinsight_callers_is_mapped(at->runtime->base))
            continue;
        at->runtime->base = NULL; /* no library matches this runtime any more */
        struct pinsight_gomp_runtime *first = at->runtime;
        atomic_compare_exchange_strong(&any, &first, NULL);
    }
    pinsight_callers_forget(&callers);
}

PINSIGHT_EXPORT int dlclose(void *library) {
    static int (*_Atomic next)(void *);
    int (*close_library)(void *) = next;
    if (!close_library)
        next = close_library = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    int result = close_library ? close_library(library) : -1;
    forget_gone();
    return result;
}

/* ---- calls ---- */

static const struct pinsight_gomp_runtime **current_of_thread(void) {
    return &current;
}

/* Returns the function that continues a call for a runtime. */
static void *target_of(const struct pinsight_gomp_runtime *runtime, unsigned function) {
    void *wrapper =
        runtime->has_tools || kinds[function] == WATCHED_ONE ? NULL : wrappers[function];
    return wrapper && runtime->next[function] ? wrapper : runtime->next[function];
}

/* Makes a trampoline lead to the only libgomp, if there is only one. The caller has the lock. */
static void redirect_at_once(unsigned function) {
    void *target = global ? target_of(global, function) : NULL;
    if (target && kinds[function] == WATCHED_ONE && wrappers[function] && !global->has_tools)
        target = pinsight_gomp_choices[function];
    if (target)
        atomic_store_explicit(&pinsight_gomp_targets[function], target, memory_order_release);
}

static void redirect(void *const to[PINSIGHT_GOMP_FUNCTIONS]) {
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < PINSIGHT_GOMP_FUNCTIONS; i++) {
        wrappers[i] = to[i];
        redirect_at_once(i);
    }
    pthread_mutex_unlock(&lock);
}

static void open_domain(void *data) {
    const struct pinsight_gomp_runtime *runtime = data;
    static struct pinsight_gomp_shim shim = {
        .global = &global, .find = find, .current = current_of_thread, .redirect = redirect};
    Dl_info info;
    const char *file =
        dladdr(runtime->base, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    shim.name = strdup(file ? file + 1 : "libgomp");
    pinsight_gomp_start_function start =
        (pinsight_gomp_start_function)pinsight_preload_openmp(opening.libdir, PINSIGHT_GOMP_START);
    if (start)
        start(&shim);
    look_for_newer(runtime);
}

/* Stands in for a missing function, or a missing libgomp. */
static long absent(void) {
    pinsight_message_once("no-gomp", "the program calls GCC's OpenMP, and has loaded no libgomp");
    return 0;
}

void *pinsight_gomp_choose(unsigned function, const void *caller, const void *first) {
    int saved_errno = errno;
    const struct pinsight_gomp_runtime *runtime =
        find(caller, kinds[function] == OUTLINED_ONE ? first : NULL);
    if (runtime && !runtime->has_tools && pinsight_opening_is_due(&opening))
        pinsight_opening_once(&opening, open_domain, (void *)(uintptr_t)runtime);
    void *target = runtime ? target_of(runtime, function) : NULL;
    void *watcher = wrappers[function];
    if (target && !runtime->has_tools && kinds[function] == WATCHED_ONE && watcher)
        ((void (*)(long, const void *))watcher)((long)(intptr_t)first, caller);
    if (target && runtime == global) {
        pthread_mutex_lock(&lock);
        redirect_at_once(function);
        pthread_mutex_unlock(&lock);
    }
    errno = saved_errno;
    return target ? target : (void *)absent;
}

__attribute__((constructor)) static void start(void) {
    void *function = dlsym(RTLD_NEXT, "GOMP_parallel");
    pinsight_opening_ready(&opening, "openmp");
    if (function)
        global = runtime_at(function, true);
}

__attribute__((destructor)) static void end(void) {
    pinsight_gomp_newer_say();
}
