/* The whole MPI domain: its descriptor, its start and its end. */
#ifndef PINSIGHT_MPI_DOMAIN_H
#define PINSIGHT_MPI_DOMAIN_H

#include "tracer/core/process.h"
#include "tracer/mpi/settings.h"
#include "tracer/mpi/shim.h"

#define PINSIGHT_MPI_NO_RANK UINT32_MAX

/* The process's rank in MPI_COMM_WORLD; PINSIGHT_MPI_NO_RANK before MPI is initialised. */
extern uint32_t pinsight_mpi_rank;

/* MPI is initialised and not finalised, and its properties are known. */
extern _Atomic bool pinsight_mpi_is_ready;

/* The kinds of calls whose events are recorded. None if the mode is not TRACING, if threads have to
 * wait, or if MPI is not ready. */
extern uint64_t pinsight_mpi_traced;

/* Registers the domain with the configuration's mode. Returns 0, or -1 after a message; the domain
 * then traces nothing. */
int pinsight_mpi_domain_start(void);

/* Records domain_info and mpi_info, once for each session version of the process. */
void pinsight_mpi_describe(void);

/* Directs the trampolines to the wrappers. In STANDBY and OFF, trampolines bypass wrappers that
 * would only call the library; a call then costs one additional jump. Under the lock of
 * pinsight_mpi_native. */
void pinsight_mpi_direct_calls(void);

/* Looks for newly loaded libraries that call MPI. If there are none, it takes a lock and does
 * little else. Called at intervals. Any thread. */
void pinsight_mpi_objects_loaded(void);

/* Called when MPI was initialised, or is found to be; when a session initialised it; and before it
 * is finalised. */
void pinsight_mpi_initialized(void);
void pinsight_mpi_initialized_as(uint32_t rank, uint32_t size);
void pinsight_mpi_finalizing(void);

#endif
