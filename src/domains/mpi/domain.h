/* The MPI domain as a whole: its descriptor, its start and its end. */
#ifndef PINSIGHT_MPI_DOMAIN_H
#define PINSIGHT_MPI_DOMAIN_H

#include "core/process.h"
#include "domains/mpi/settings.h"
#include "domains/mpi/shim.h"

#define PINSIGHT_MPI_NO_RANK UINT32_MAX

/* The process's rank in MPI_COMM_WORLD; PINSIGHT_MPI_NO_RANK before MPI is initialised. */
extern uint32_t pinsight_mpi_rank;

/* MPI is initialised and not finalised, and what is to be known of it is known. */
extern _Atomic bool pinsight_mpi_is_ready;

/* The kinds of calls whose events are recorded; none while the mode is not TRACING, while threads
 * are to wait, and while MPI is not ready. */
extern uint64_t pinsight_mpi_traced;

/* Make the domain known, with the configuration's mode. Returns 0; or -1: nothing is traced, and
 * why was said. */
int pinsight_mpi_domain_start(void);

/* Record domain_info and mpi_info, once for each session version of the process. */
void pinsight_mpi_describe(void);

/* Lead the trampolines to the wrappers; or past those that would only be looked through, to the
 * library, where the mode is STANDBY or OFF: a call then costs one jump more. Under the lock of
 * pinsight_mpi_native. */
void pinsight_mpi_lead_calls(void);

/* Looks for libraries that were loaded since the last call and that call MPI. If there are none, it
 * takes a lock and does little else. Called at intervals. Any thread. */
void pinsight_mpi_objects_loaded(void);

/* MPI was initialised, or is found to be; it is about to be finalised. */
void pinsight_mpi_initialized(void);
void pinsight_mpi_initialized_as(uint32_t rank, uint32_t size); /* by a session */
void pinsight_mpi_finalizing(void);

#endif
