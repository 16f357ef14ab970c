/* Opens the OpenMP domain, for the runtimes that ask for a tool and for GCC's; see preload.h. */
#include "tracer/preload/preload.h"
#include "tracer/record/recorder.h"

#include <dlfcn.h>

void *pinsight_preload_openmp(const char *libdir, const char *function) {
    void *library = pinsight_recorder_shim.open(libdir);

    if (!library) {
        const char *error = dlerror();
        pinsight_message_once("no-libpinsight",
                              "cannot load libpinsight, OpenMP is not traced: %s; %s", error,
                              pinsight_load_cure(error));
        return NULL;
    }
    void *found = dlsym(library, function);
    if (!found)
        pinsight_message_once("no-openmp",
                              "the libpinsight in %s is of another version of PInsight, OpenMP is "
                              "not traced; build or install PInsight again",
                              libdir);
    return found;
}
