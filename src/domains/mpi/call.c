/* Calls of MPI off the hot path; see call.h. */
#include "domains/mpi/call.h"

#include "domains/mpi/flavour.h"

bool pinsight_mpi_enter_slow(struct pinsight_mpi_call *call) {
    (void)call;
    /* Initialised by other means than the functions that are wrapped, such as Fortran's. */
    if (!atomic_load(&pinsight_mpi_is_ready) && pinsight_mpi_flavour_is_initialized())
        pinsight_mpi_initialized();
    return pinsight_domain_mode(&pinsight_mpi_domain) == PINSIGHT_MODE_TRACING;
}
