/* Threads that wait at their next call of MPI, for an introspection. */
#ifndef PINSIGHT_MPI_PAUSE_H
#define PINSIGHT_MPI_PAUSE_H

#include "domains/mpi/thread.h"

/* For the domain's descriptor. Threads that are in a call of MPI run on.  */
void pinsight_mpi_pause(struct pinsight_domain *domain, uint32_t *stopped, uint32_t *running);
void pinsight_mpi_go_on(struct pinsight_domain *domain);

/* Wait while threads are to wait. */
void pinsight_mpi_pause_wait(struct pinsight_mpi_thread *thread);

/* In a forked child. */
void pinsight_mpi_pause_fork_child(void);

#endif
