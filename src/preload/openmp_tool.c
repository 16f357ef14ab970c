/*
 * libpinsight-openmp-tool.so, for OMP_TOOL_LIBRARIES (OpenMP 5.1, 6.21): a runtime that was linked
 * with -Bsymbolic-functions (Ubuntu's libomp) asks no ompt_start_tool but its own, and comes to the
 * shim by this one. Where the shim is not preloaded there is no tool: the variable may come to
 * processes from which LD_PRELOAD was taken.
 */
#include "preload.h"

#include <dlfcn.h>

PINSIGHT_EXPORT void *ompt_start_tool(unsigned version, const char *runtime) {
    /* Not by the name that runtimes ask for: the program may have a tool of its own, and declined.
     */
    void *(*start)(unsigned, const char *) =
        (void *(*)(unsigned, const char *))dlsym(RTLD_DEFAULT, "pinsight_preload_start_tool");
    return start ? start(version, runtime) : NULL;
}
