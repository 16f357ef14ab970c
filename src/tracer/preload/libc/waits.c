/*
 * The functions that CPython waits in; see tracer/python/waits.h.
 *
 * Each function examines the address of its caller, and jumps. A jump leaves no frame behind, so
 * that an unwinder finds the same stack as without PInsight. On x86-64, the functions of condition
 * variables also have an older version, for another layout. A caller of the older version gets
 * libc's: here is only the newer version (waits.map).
 */
#include "libc.h"

#include "tracer/python/waits.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* Returns libc's function, or NULL with errno ENOSYS. Before glibc 2.34 it is in a library that may
 * be loaded later. */
static void *find(const char *name) {
    Dl_info one, other;
    void *next = dlsym(RTLD_NEXT, name);
    void *newer = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    /* The function of another library behind this one has no version. */
    if (newer && newer != next &&
        (!next ||
         (dladdr(next, &one) && dladdr(newer, &other) && one.dli_fbase == other.dli_fbase))) {
        next = newer;
    }
    if (!next) {
        void *threads = dlopen("libpthread.so.0", RTLD_LAZY | RTLD_NOLOAD);
        next = threads ? dlsym(threads, name) : NULL;
    }
    if (!next) {
        errno = ENOSYS;
    }
    return next;
}

/* The first target of a function's `next`. Finds the function and calls it. */
#define FIRST(name, of, parameters, arguments)                                                     \
    static int first_##name parameters {                                                           \
        int(*next) parameters = find(#name);                                                       \
        if (!next) {                                                                               \
            return strncmp(#name, "sem_", 4) == 0 ? -1 : ENOSYS;                                   \
        }                                                                                          \
        pinsight_preload_waits.next.name = next;                                                   \
        return next arguments;                                                                     \
    }
PINSIGHT_WAITS(FIRST)

#define NEXT(name, of, parameters, arguments) .name = first_##name,
__attribute__((visibility("protected"))) struct pinsight_waits pinsight_preload_waits = {
    .next = {PINSIGHT_WAITS(NEXT)},
};

#define STAND(name, of, parameters, arguments)                                                     \
    PINSIGHT_EXPORT int name parameters {                                                          \
        uintptr_t from = (uintptr_t)__builtin_return_address(0) - pinsight_preload_waits.text;     \
        if (__builtin_expect(                                                                      \
                from < atomic_load_explicit(&pinsight_preload_waits.of, memory_order_acquire),     \
                0)) {                                                                              \
            return pinsight_preload_waits.here.name arguments;                                     \
        }                                                                                          \
        return pinsight_preload_waits.next.name arguments;                                         \
    }
PINSIGHT_WAITS(STAND)

#define LOOK_UP(name, of, parameters, arguments)                                                   \
    int(*name) parameters = find(#name);                                                           \
    if (name) {                                                                                    \
        pinsight_preload_waits.next.name = name;                                                   \
    }

void pinsight_waits_ready(void) {
    PINSIGHT_WAITS(LOOK_UP)
}
