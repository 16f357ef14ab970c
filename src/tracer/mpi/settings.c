/* The configuration, for the MPI domain's hot paths; see settings.h. */
#include "tracer/mpi/settings.h"

#include "tracer/core/resolve.h"
#include "tracer/core/settings.h"
#include "tracer/mpi/thread.h"

void pinsight_mpi_settings_take(void) {
    uint32_t config_version = pinsight_config_version(), rank = pinsight_mpi_rank;
    uint64_t kinds = pinsight_resolve_events(&pinsight_mpi_domain);
    if (rank == PINSIGHT_MPI_NO_RANK && pinsight_process.rank >= 0)
        rank = (uint32_t)pinsight_process.rank;
    if (rank != PINSIGHT_MPI_NO_RANK &&
        !pinsight_resolve_in_range(&pinsight_mpi_domain, PINSIGHT_MPI_PUNIT_RANK, rank))
        kinds = 0;
    atomic_store(&pinsight_mpi_native.engine.kinds, kinds);
    atomic_store(&pinsight_mpi_native.engine.config_version, config_version);
    if (pinsight_domain_mode_now(&pinsight_mpi_domain) != PINSIGHT_MODE_TRACING ||
        !atomic_load(&pinsight_mpi_is_ready))
        kinds = 0;
    PINSIGHT_PUT(pinsight_mpi_traced, kinds);
}
