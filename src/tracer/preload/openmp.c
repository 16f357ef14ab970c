/*
 * The entry point by which an OpenMP runtime finds a tool (OpenMP 5.1, 4.2.1). The entry point
 * calls the OpenMP domain in libpinsight.so, which is opened when a runtime with OMPT asks for a
 * tool.
 */
#include "preload.h"

#include "base/program.h"

#include "tracer/record/recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The result is ompt_start_tool_result_t, which is passed on unread. */
typedef void *(*start_tool)(unsigned version, const char *runtime);

/* Returns whether OMP_TOOL_LIBRARIES (OpenMP 5.1, 6.21) names tools without this one. */
static bool names_another(const char *list) {
    return list && *list && !strstr(list, "libpinsight");
}

/* The shim's ompt_start_tool() under a name of its own. libpinsight-openmp-tool.so needs it,
 * because ompt_start_tool() is its own function there. */
void *pinsight_preload_start_tool(unsigned version, const char *runtime) {
    const char *libdir = secure_getenv("PINSIGHT_LIBDIR");
    const char *others = getenv("OMP_TOOL_LIBRARIES");
    /* The next tool in the program; or the runtime's own entry, which searches further. */
    start_tool next = (start_tool)dlsym(RTLD_NEXT, "ompt_start_tool");
    void *tool = next ? next(version, runtime) : NULL;
    if (!libdir || libdir[0] != '/' ||
        !pinsight_domain_wanted(secure_getenv("PINSIGHT_DOMAINS"), "openmp")) {
        return tool;
    }
    pinsight_message_ready();
    if (tool || names_another(others)) {
        pinsight_message_once(
            "other-tool",
            "the program has another tool of OpenMP's (%s), so OpenMP is not traced; "
            "start it without that tool",
            tool ? "preloaded or linked" : others);
        return tool;
    }
    start_tool start = (start_tool)pinsight_preload_openmp(libdir, "ompt_start_tool");
    return start ? start(version, runtime) : NULL;
}

PINSIGHT_EXPORT void *ompt_start_tool(unsigned version, const char *runtime)
    __attribute__((alias("pinsight_preload_start_tool")));

/* A function of runtimes with OMPT. NULL if the process has no such runtime at its start. */
extern void __kmpc_fork_call(void) __attribute__((weak));

void pinsight_openmp_ready(void) {
    char program[PATH_MAX];
    int saved_errno = errno;
    /* The runtime finds the program's own function, if there is one. */
    if (!__kmpc_fork_call || ompt_start_tool == pinsight_preload_start_tool ||
        !secure_getenv("PINSIGHT_LIBDIR") ||
        !pinsight_domain_wanted(secure_getenv("PINSIGHT_DOMAINS"), "openmp")) {
        return;
    }
    if (!pinsight_program_self(program, sizeof(program))) {
        strcpy(program, "a program");
    }
    errno = saved_errno;
    pinsight_message_ready();
    pinsight_note_once(
        "other-tool",
        "%s has a tool of OpenMP's of its own (ompt_start_tool), which comes first, so its OpenMP "
        "is recorded only if that tool declines; start it without that tool",
        program);
}
