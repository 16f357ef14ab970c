/* What `pinsight run` does so that a command's MPI can be seen. */
#include "cli/run_mpi.h"

#include <stdlib.h>
#include <string.h>

static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun",
                                        "srun",   "aprun",   "jsrun",   "flux",    "hydra"};
static const char *const variables[] = {
    "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",   "PMI_RANK", "PMI_SIZE",
    "MV2_COMM_WORLD_SIZE",  "SLURM_PROCID"};

bool pinsight_run_mpi_is_expected(const struct pinsight_run_config *config, char *const *command) {
    if (!config->mpi) {
        return false;
    }
    const char *slash = strrchr(command[0], '/');
    const char *name = slash != NULL ? slash + 1 : command[0];
    for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
        size_t length = strlen(launchers[i]);
        if (strncmp(name, launchers[i], length) == 0 &&
            (name[length] == '\0' || name[length] == '.')) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        if (getenv(variables[i]) != NULL) {
            return true;
        }
    }
    return config->mpi_asked;
}
