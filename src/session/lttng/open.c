/* Opens the library that links LTTng's; see library.h. */
#include "session/lttng/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "pinsight_version.h"

const struct pinsight_lttng_library *pinsight_lttng_open(const char *libdir, char *why,
                                                         size_t room) {
    static const struct pinsight_lttng_library *opened;
    char path[PATH_MAX];

    if (opened != NULL) {
        return opened;
    }
    bool named = pinsight_path_join(path, libdir, PINSIGHT_LTTNG_LIBRARY);
    if (named && access(path, F_OK) != 0) {
        snprintf(
            why, room,
            "this PInsight was built without LTTng; build it where LTTng is (Debian: apt "
            "install liblttng-ust-dev liblttng-ctl-dev lttng-tools), or record with --recorder "
            "file, which needs nothing");
        return NULL;
    }
    void *handle = named ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (handle == NULL) {
        const char *said = dlerror();
        snprintf(why, room,
                 "LTTng's libraries are missing (%.250s); install them (Debian: apt install "
                 "lttng-tools), or record with --recorder file, which needs nothing",
                 said != NULL ? said : PINSIGHT_LTTNG_LIBRARY);
        return NULL;
    }
    const struct pinsight_lttng_library *library = dlsym(handle, "pinsight_lttng_library");
    if (library == NULL || strcmp(library->version, PINSIGHT_VERSION) != 0) {
        snprintf(why, room, "%s is of another version than the command; install PInsight again",
                 path);
        dlclose(handle);
        return NULL;
    }
    opened = library;
    return opened;
}
