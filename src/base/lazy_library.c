/* Libraries that are opened at run time; see lazy_library.h. */
#include "base/lazy_library.h"

#include <dlfcn.h>

const char *pinsight_lazy_library_open(struct pinsight_lazy_library *library) {
    void *handle = library->handle;

    if (handle == NULL) {
        handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == NULL) {
        handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == NULL) {
        return dlerror();
    }
    for (size_t i = 0; i < library->count; i++) {
        *library->functions[i].at = dlsym(handle, library->functions[i].name);
        if (*library->functions[i].at == NULL) {
            return dlerror();
        }
    }
    library->handle = handle;
    return NULL;
}
