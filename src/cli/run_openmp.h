/* The command's OpenMP, examined before the start. The results are whether its runtime will find
 * PInsight by itself, why OpenMP may be missing from the trace, and whether there is a BLAS. */
#ifndef PINSIGHT_CLI_RUN_OPENMP_H
#define PINSIGHT_CLI_RUN_OPENMP_H

#include <limits.h>
#include <stdbool.h>

struct pinsight_run_openmp {
    bool named;                 /* OMP_TOOL_LIBRARIES must name the tool */
    bool blas;                  /* the command may load a BLAS */
    char message[1024];         /* one line for the user; "" if there is none */
    char thread_blas[PATH_MAX]; /* a BLAS with threads of its own; "" if there is none */
    /* The reason and the cure, as a sentence for a run without OpenMP events. */
    char unseen[1024];
};

/*
 * Examines the libraries that the command will load. `no_gomp` is the reason why GCC's OpenMP
 * cannot be recorded, as the end of a sentence; NULL if it can. `asked` is true if the user named
 * the domain. Executes nothing. Takes some ten milliseconds with many packages, and at most 0.15 s.
 */
void pinsight_run_openmp_look(struct pinsight_run_openmp *openmp, const char *no_gomp, bool asked,
                              char *const *command);

#endif
