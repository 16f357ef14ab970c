/*
 * libpinsight-openmp-tool.so, for OMP_TOOL_LIBRARIES (OpenMP 5.1, 6.21). A runtime that was linked
 * with -Bsymbolic-functions (Ubuntu's libomp) calls no ompt_start_tool except its own. This library
 * makes it call the shim. Without the shim there is no tool: the variable may reach processes from
 * which LD_PRELOAD was removed.
 */
#include "preload.h"

#include <dlfcn.h>

PINSIGHT_EXPORT void *ompt_start_tool(unsigned version, const char *runtime) {
    /* Not the name that runtimes ask for: the program may have a tool of its own, which
     * declined. */
    void *(*start)(unsigned, const char *) =
        (void *(*)(unsigned, const char *))dlsym(RTLD_DEFAULT, "pinsight_preload_start_tool");
    return start ? start(version, runtime) : NULL;
}
