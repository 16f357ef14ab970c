/* What the MPI domain has looked up of the configuration in force, for hot paths. */
#ifndef PINSIGHT_MPI_SETTINGS_H
#define PINSIGHT_MPI_SETTINGS_H

#include "core/domain.h"

extern struct pinsight_domain pinsight_mpi_domain;

/* The kinds of events, in the order of src/events/mpi.json. */
enum pinsight_mpi_kind {
    PINSIGHT_MPI_P2P,
    PINSIGHT_MPI_COLLECTIVE,
    PINSIGHT_MPI_COMPLETION,
    PINSIGHT_MPI_ONE_SIDED,
    PINSIGHT_MPI_IO,
    PINSIGHT_MPI_COMM,
    PINSIGHT_MPI_DATATYPE,
    PINSIGHT_MPI_ENVIRONMENT,
    PINSIGHT_MPI_KINDS,
};

enum pinsight_mpi_punit { PINSIGHT_MPI_RANKS };

/* Bit n: events of kind n are recorded. None is where the rank is out of range. */
extern _Atomic uint64_t pinsight_mpi_kinds;
extern _Atomic uint32_t pinsight_mpi_settings_generation; /* that they are of; 0 none */

/* Take over what the configuration in force says. The applying thread's alone. */
void pinsight_mpi_settings_take(void);

static inline bool pinsight_mpi_kind_is_on(enum pinsight_mpi_kind kind) {
    return atomic_load_explicit(&pinsight_mpi_kinds, memory_order_relaxed) >> kind & 1;
}

#endif
