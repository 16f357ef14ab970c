/* Finding and opening libcupti; see cupti.h. */
#include "tracer/cuda/cupti.h"

#include "runtimes/cuda/cupti_find.h"
#include "tracer/core/log.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct cupti_library pinsight_cupti;

/* The result of the search. */
struct cupti_found {
    char wrong[PATH_MAX + 128]; /* the last unusable candidate, and the reason */
};

static bool take_functions(void *library, const char **missing) {
    struct cupti_library found = {0};
#define FIND(name, parameters) *(void **)&found.name = dlsym(library, #name);
#define NEED(name, parameters) FIND(name, parameters) if (!found.name) *missing = #name;
    *missing = NULL;
    CUPTI_FUNCTIONS(NEED)
    CUPTI_LATER_FUNCTIONS(FIND)
#undef NEED
#undef FIND
    if (*missing)
        return false;
    if (found.cuptiGetVersion(&found.version) == CUPTI_OK)
        found.cuda = pinsight_cupti_cuda(found.version);
    pinsight_cupti = found;
    return true;
}

static bool take(const struct pinsight_cupti_candidate *candidate, void *data) {
    struct cupti_found *search = data;
    const char *missing;
    /* RTLD_LOCAL, because its symbols must not affect other libraries. It is never closed, because
     * callbacks may be running. */
    void *library = dlopen(candidate->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        if (candidate->place != PINSIGHT_CUPTI_LINKER)
            snprintf(search->wrong, sizeof search->wrong, "%s", dlerror());
        return false;
    }
    if (take_functions(library, &missing))
        return true;
    snprintf(search->wrong, sizeof search->wrong, "%s has no %s", candidate->path, missing);
    dlclose(library);
    return false;
}

/* Returns the major version of CUDA of the driver in the process, or 0 if it is unknown. */
static unsigned driver_major(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    int (*get)(int *version);
    int version = 0;
    if (!library)
        return 0;
    *(void **)&get = dlsym(library, "cuDriverGetVersion");
    if (!get || get(&version) != 0 || version < 1000)
        version = 0;
    dlclose(library);
    return (unsigned)version / 1000;
}

bool pinsight_cupti_open(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    struct cupti_found search = {""};
    if (pinsight_cupti.cuptiSubscribe || pinsight_cupti_each_here(driver_major(), take, &search))
        return true;
    pinsight_log_once(
        &once,
        "CUDA is not traced: no libcupti that can be used was found%s%s; install it (pip install "
        "nvidia-cuda-cupti-cu12, or nvidia-cuda-cupti for CUDA 13), or name its path in "
        "PINSIGHT_CUPTI; `pinsight doctor` lists the searched places",
        *search.wrong ? ": " : "", search.wrong);
    return false;
}

const char *pinsight_cupti_text(uint32_t result) {
    const char *text = NULL;
    if (pinsight_cupti.cuptiGetResultString)
        pinsight_cupti.cuptiGetResultString(result, &text);
    return text ? text : "an error that it has no text for";
}
