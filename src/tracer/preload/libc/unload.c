/*
 * Libraries that are unloaded. Another library may be loaded at their addresses, so the recorder
 * looks up these again.
 */
#include "libc.h"

#include <dlfcn.h>

static void (*_Atomic unloaded)(void);

void pinsight_preload_on_unload(void (*listener)(void)) {
    unloaded = listener;
}

PINSIGHT_EXPORT int dlclose(void *library) {
    static int (*_Atomic next)(void *);
    int (*close_library)(void *) = next;
    if (!close_library) {
        next = close_library = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    }
    int result = close_library ? close_library(library) : -1;
    void (*listener)(void) = unloaded;
    if (listener) {
        listener();
    }
    return result;
}
