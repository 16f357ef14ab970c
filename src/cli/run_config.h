/* The configuration that `pinsight run` passes to its command. */
#ifndef PINSIGHT_CLI_RUN_CONFIG_H
#define PINSIGHT_CLI_RUN_CONFIG_H

#include <limits.h>
#include <stdbool.h>

#include "cli/run_options.h"
#include "session/env.h"

struct pinsight_run_config {
    char path[PATH_MAX]; /* of the file, absolute; "" if there is none */
    bool registry;       /* names = registry, which decides the channel of the session */
    bool openmp;         /* OpenMP is to be observed */
    bool openmp_asked;   /* the user named OpenMP */
    bool mpi;            /* MPI is to be observed */
    bool blas;           /* BLAS is to be observed */
    /* Tools of observed domains, whose runtimes find a library by a variable. */
    struct pinsight_env_tool tools[PINSIGHT_ENV_TOOLS + 1];
    char events[64]; /* valid kinds of Python's events: "function,c_call", "none" */
};

/*
 * Reads the configuration of a run from its options, the environment and the file. Returns true, or
 * false after a message for each mistake; the exit status is then 2. One thread.
 */
bool pinsight_run_config_read(struct pinsight_run_config *config,
                              const struct pinsight_run_options *options);

#endif
