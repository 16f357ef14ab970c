/* Libraries that are opened at run time; see late.h. */
#include "base/late.h"

#include <dlfcn.h>

const char *pinsight_late_open(struct pinsight_late *library) {
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
