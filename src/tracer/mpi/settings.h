/* The MPI domain's copy of the current configuration, for hot paths. */
#ifndef PINSIGHT_MPI_SETTINGS_H
#define PINSIGHT_MPI_SETTINGS_H

#include "describe/mpi_kinds.h"
#include "tracer/core/native.h"

extern struct pinsight_domain pinsight_mpi_domain;
extern struct pinsight_native pinsight_mpi_native;

/* Copies the current configuration. No kind is on if the rank is out of range. Called only by the
 * thread that applies settings. */
void pinsight_mpi_settings_take(void);

static inline bool pinsight_mpi_kind_is_on(enum pinsight_mpi_kind kind) {
    return pinsight_kind_is_on(&pinsight_mpi_native.engine, kind);
}

#endif
