/* What `pinsight run` knows of a command's OpenMP before it starts: whether its runtime will find
 * PInsight by itself, and why there may be nothing of it in the trace. */
#ifndef PINSIGHT_CLI_RUN_OPENMP_H
#define PINSIGHT_CLI_RUN_OPENMP_H

#include <limits.h>
#include <stdbool.h>

struct pinsight_run_openmp {
    bool named;                 /* OMP_TOOL_LIBRARIES has to name the tool */
    char message[1024];         /* one line for the user; "": nothing to say */
    char thread_blas[PATH_MAX]; /* a BLAS on threads of its own, that the command may load */
    char unseen[1024]; /* a sentence for a run in which no OpenMP was seen: why, and the cure */
};

/*
 * Looks at what the command will load. `no_gomp` says why GCC's OpenMP cannot be recorded, as the
 * end of a sentence; NULL: it can. `asked` says that the user named the domain. Executes nothing;
 * some ten milliseconds with many packages, at most 0.15 s.
 */
void pinsight_run_openmp_look(struct pinsight_run_openmp *openmp, const char *no_gomp, bool asked,
                              char *const *command);

#endif
