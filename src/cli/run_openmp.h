/* What `pinsight run` does so that a command's OpenMP can be seen: its libgomp is observed from
 * before it; or, where that is asked for, LLVM's runtime is loaded in place of GCC's. */
#ifndef PINSIGHT_CLI_RUN_OPENMP_H
#define PINSIGHT_CLI_RUN_OPENMP_H

#include <limits.h>
#include <stdbool.h>

struct pinsight_run_openmp {
    char preload[PATH_MAX]; /* the runtime to preload; "": none */
    bool gomp;              /* libgomp stays, and is observed */
    /* What the processes are told (PINSIGHT_LIBOMP, see src/preload/libc/libc.h): a path, preloaded
     * or not, "none", "no" or "gomp"; "": OpenMP is not to be recorded. */
    char stand_in[PATH_MAX];
    bool named;                 /* OMP_TOOL_LIBRARIES has to name the tool */
    char message[1024];         /* one line for the user; "": nothing to say */
    char thread_blas[PATH_MAX]; /* a BLAS on threads of its own, that the command may load */
    char unseen[1024]; /* a sentence for a run in which no OpenMP was seen: why, and the cure */
};

/*
 * Looks at what the command will load. `libomp` is the value of --libomp: "auto" decides by what is
 * found, "no" leaves everything, a path is taken; NULL is "no" where `gomp` says that libgomp can
 * be observed, and else "auto". `asked` says that the user named the domain. Returns false with a
 * message in `said` where the path of --libomp cannot be used; the exit status is 2 then. Executes
 * nothing; some ten milliseconds with many packages, at most 0.15 s.
 */
bool pinsight_run_openmp_look(struct pinsight_run_openmp *openmp, const char *libomp, bool gomp,
                              bool asked, char *const *command);

/* The command has ended, with a status of wait(2): says what to do where LLVM's OpenMP may be why.
 */
void pinsight_run_openmp_ended(const struct pinsight_run_openmp *openmp, int status);

#endif
