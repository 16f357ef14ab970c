/* What `pinsight run` does so that a command's MPI can be seen. */
#ifndef PINSIGHT_CLI_RUN_MPI_H
#define PINSIGHT_CLI_RUN_MPI_H

#include <stdbool.h>

#include "cli/run_config.h"

/*
 * Is the command likely to use MPI: was it asked for, is a launcher of MPI's started or around us?
 * If not, and it does all the same, MPI is recorded as well; but its events, of which there are
 * many, are described in the trace only when the first process has them, so that other runs start
 * sooner.
 */
bool pinsight_run_mpi_is_expected(const struct pinsight_run_config *config, char *const *command);

#endif
