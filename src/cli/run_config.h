/* The configuration that `pinsight run` hands on to its command. */
#ifndef PINSIGHT_CLI_RUN_CONFIG_H
#define PINSIGHT_CLI_RUN_CONFIG_H

#include <limits.h>
#include <stdbool.h>

#include "cli/run_options.h"
#include "session/env.h"

struct pinsight_run_config {
    char path[PATH_MAX]; /* of the file, absolute; "" without one */
    bool registry;       /* names = registry: which channel the session needs */
    bool openmp;         /* OpenMP is to be observed */
    bool openmp_asked;   /* and the user named it */
    bool mpi;            /* MPI is to be observed */
    /* Of domains that are to be observed, and whose runtimes are told of a library. */
    struct pinsight_env_tool tools[PINSIGHT_ENV_TOOLS + 1];
    char events[64]; /* of Python, as they are in force: "function,c_call", "none" */
};

/*
 * Reads what the options, the environment and the file of a run say together. Returns true, or
 * false after a message for each mistake; the exit status is 2 then. One thread.
 */
bool pinsight_run_config_read(struct pinsight_run_config *config,
                              const struct pinsight_run_options *options);

#endif
