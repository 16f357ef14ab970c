/*
 * OpenMP that is not recorded, as a process finds it out by itself: `pinsight run` knows the
 * program that it starts, and not what that one starts.
 */
#include "libc.h"

#include "base/program.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Of libgomp and libomp, and of libomp alone; NULL where the process has none at its start. */
extern void GOMP_parallel(void) __attribute__((weak));
extern void __kmpc_fork_call(void) __attribute__((weak));

/* As the runtime finds it: the program's own where it has one. */
extern void *ompt_start_tool(unsigned version, const char *runtime);

void pinsight_report_unseen(const char *who, const char *libgomp, const char *why,
                            const char *what) {
    pinsight_note_once("openmp-unseen",
                       "the OpenMP of %s is not recorded: it is GCC's (%s), which no tool can "
                       "observe, and %s%s%s; --libomp PATH puts LLVM's in its place",
                       who, libgomp, why, what && *what ? ": " : "", what ? what : "");
}

void pinsight_unseen_at_start(bool gomp_is_seen) {
    char program[PATH_MAX];
    Dl_info about;
    bool has_tool = __kmpc_fork_call && ompt_start_tool != pinsight_preload_start_tool;
    if (!has_tool && (gomp_is_seen || !GOMP_parallel || __kmpc_fork_call))
        return;
    int saved_errno = errno;
    if (!pinsight_program_self(program, sizeof(program)))
        strcpy(program, "a program");
    errno = saved_errno;
    pinsight_message_ready();
    if (has_tool)
        pinsight_note_once("other-tool",
                           "%s has a tool of OpenMP's of its own (ompt_start_tool), which comes "
                           "first, so its OpenMP is recorded only where that tool declines; start "
                           "it without that tool",
                           program);
    else if (dladdr((void *)GOMP_parallel, &about))
        pinsight_report_unseen(program, about.dli_fname,
                               "what a command starts is not known beforehand", NULL);
}
