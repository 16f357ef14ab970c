/*
 * libpinsight-preload-blas.so precedes BLAS and LAPACK in the dynamic linker's search. The library
 * redirects each call to the function that the caller would have called without PInsight. A process
 * may have several such libraries, of the system and in wheels. A set of trampolines (libraries.h)
 * determines the library. For the exported trampolines, the function is the next one in the global
 * scope, if there is one. Otherwise it is the first among the libraries that the caller's object is
 * linked with, and then the first in the process.
 */
#include "tracer/preload/blas/libraries.h"
#include "tracer/preload/blas/references.h"
#include "tracer/preload/blas/trampolines.h"
#include "tracer/preload/callers.h"
#include "tracer/preload/loaded.h"
#include "tracer/preload/opening.h"
#include "tracer/preload/preload.h"

#include "tracer/blas/shim.h"

#include "blas/count.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

/* The functions that an object is bound to, NULL until it calls them. Never freed. */
struct bound {
    struct pinsight_blas_target targets[PINSIGHT_BLAS_FUNCTIONS];
};

static struct pinsight_callers callers = {.lock = &pinsight_blas_lock};
static struct bound any; /* the first function found of each name, for code without an object */
static struct pinsight_opening opening;
static struct pinsight_blas_handlers *_Atomic handlers; /* NULL: calls are not observed */

/* ---- libraries ---- */

/* Returns the function of that name that an object is bound to, or NULL. */
static void *find_for(const struct link_map *map, const char *name) {
    void *found = pinsight_blas_symbol(RTLD_NEXT, name);
    void *object = !found && map && *map->l_name ? pinsight_loaded_open(map) : NULL;
    if (object) {
        found = pinsight_blas_symbol(object, name);
        pinsight_blas_close(object);
    }
    return found;
}

/* The name for look_for(). */
static __thread const char *looked_for __attribute__((tls_model("initial-exec")));

/* Returns the function that an object has or is linked with. Returns NULL if there is none. */
static void *look_for(void *object) {
    void *function = pinsight_blas_symbol(object, looked_for);
    const struct link_map *map = pinsight_loaded_at(function);
    return map && map != pinsight_loaded_at(&callers) ? function : NULL;
}

/* Returns the function of any library of the process, or NULL. An object may call a function that
 * only another object is linked with, by a pointer. A call at the end of a function may be a jump,
 * and its return address is then in the object that called that function. */
static void *find_any(unsigned function) {
    void *found = any.targets[function].to;
    if (!found) {
        looked_for = pinsight_blas_names[function];
        found = pinsight_loaded_find("", look_for);
    }
    return found;
}

/* Takes the place of a function that no library of the process has. */
static long absent(void) {
    pinsight_message_once("no-blas", "the program calls a function of BLAS or LAPACK that none of "
                                     "its libraries has");
    return 0;
}

/* Finds the function for a caller. Slow path, for the first call of a function from an object. */
static __attribute__((noinline)) const struct pinsight_blas_target *
find_slowly(unsigned function, const void *address) {
    static const struct pinsight_blas_target none = {(void *)absent, NULL};
    int saved_errno = errno;
    const struct pinsight_caller *caller = pinsight_callers_find(&callers, address);
    const struct link_map *map = pinsight_loaded_at(address);
    struct bound *bound = caller ? caller->bound : calloc(1, sizeof(*bound));
    void *found = find_for(map, pinsight_blas_names[function]);
    if (bound && !caller && !pinsight_callers_add(&callers, address, bound)) {
        free(bound);
        bound = NULL;
    }
    if (!found)
        found = find_any(function);
    if (bound && found)
        pinsight_blas_target_set(&bound->targets[function], found);
    if (found && !any.targets[function].to)
        pinsight_blas_target_set(&any.targets[function], found);
    errno = saved_errno;
    return !found ? &none : bound ? &bound->targets[function] : &any.targets[function];
}

static const struct pinsight_blas_target *find_target(unsigned entry, const void *address) {
    unsigned function = entry % PINSIGHT_BLAS_FUNCTIONS;
    const struct pinsight_blas_target *target =
        entry >= PINSIGHT_BLAS_FUNCTIONS ? pinsight_blas_target_of(entry) : NULL;
    if (target && atomic_load_explicit(&target->to, memory_order_acquire))
        return target;
    const struct pinsight_caller *caller = pinsight_callers_find(&callers, address);
    const struct bound *bound = caller ? caller->bound : NULL;
    target = bound ? &bound->targets[function] : NULL;
    return target && atomic_load_explicit(&target->to, memory_order_acquire)
               ? target
               : find_slowly(function, address);
}

static struct pinsight_blas_found find(unsigned entry, const void *address) {
    const struct pinsight_blas_target *target = find_target(entry, address);
    void *to = atomic_load_explicit(&target->to, memory_order_relaxed);
    return (struct pinsight_blas_found){
        to ? to : (void *)absent, /* its library was unloaded just now */
        atomic_load_explicit(&target->library, memory_order_relaxed)};
}

PINSIGHT_EXPORT int dlclose(void *library) {
    int result = pinsight_blas_close(library);
    pinsight_blas_libraries_forget();
    if (pinsight_callers_forget(&callers))
        for (unsigned i = 0; i < PINSIGHT_BLAS_FUNCTIONS; i++)
            any.targets[i].to = NULL; /* it may be the function of a library that is gone */
    struct pinsight_blas_handlers *its = handlers;
    if (its)
        atomic_fetch_add(&its->closed, 1);
    return result;
}

/* ---- the domain ---- */

static void open_domain(void *unused) {
    static const struct pinsight_blas_shim shim = {find, pinsight_blas_library_with};
    void *library = pinsight_opening_library(opening.libdir, "blas");
    (void)unused;
    if (!library) {
        const char *error = dlerror();
        pinsight_message_once("no-libpinsight-blas",
                              "cannot load libpinsight-blas, BLAS is not recorded: %s; %s", error,
                              pinsight_load_cure(error));
        return;
    }
    pinsight_blas_start_function start =
        (pinsight_blas_start_function)dlsym(library, PINSIGHT_BLAS_START);
    struct pinsight_blas_handlers *its = start ? start(&shim) : NULL;
    if (its) {
        handlers = its;
        pinsight_blas_observers.returned = its->returned;
        pinsight_blas_observers.called = its->called;
    }
}

/* ---- calls ---- */

/* Runs for the first call, and for all while the domain does not observe them. */
static struct pinsight_blas_way first_called(struct pinsight_blas_frame *frame, unsigned entry) {
    if (pinsight_opening_is_due(&opening))
        pinsight_opening_once(&opening, open_domain, NULL);
    struct pinsight_blas_handlers *its = handlers;
    return its ? its->called(frame, entry)
               : (struct pinsight_blas_way){find(entry, frame->caller).to, -1};
}

struct pinsight_blas_observers pinsight_blas_observers = {.called = first_called};

__attribute__((constructor)) static void start(void) {
    pinsight_opening_ready(&opening, "blas");
    pinsight_blas_references_start();
}
