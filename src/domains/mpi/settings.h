/* What the MPI domain has looked up of the configuration in force, for hot paths. */
#ifndef PINSIGHT_MPI_SETTINGS_H
#define PINSIGHT_MPI_SETTINGS_H

#include "core/native.h"
#include "describe/mpi_kinds.h"

extern struct pinsight_domain pinsight_mpi_domain;
extern struct pinsight_native pinsight_mpi_native;

/* Take over what the configuration in force says; no kind is on where the rank is out of range. The
 * applying thread's alone. */
void pinsight_mpi_settings_take(void);

static inline bool pinsight_mpi_kind_is_on(enum pinsight_mpi_kind kind) {
    return pinsight_kind_is_on(&pinsight_mpi_native.engine, kind);
}

#endif
