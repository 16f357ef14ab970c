/* Threads of OpenMP that wait at their next callback, for an introspection. */
#ifndef PINSIGHT_OPENMP_PAUSE_H
#define PINSIGHT_OPENMP_PAUSE_H

#include "domains/openmp/thread.h"

/* For the domain's descriptor. Workers that wait for work count neither way. */
void pinsight_omp_pause(struct pinsight_domain *domain, uint32_t *stopped, uint32_t *running);
void pinsight_omp_go_on(struct pinsight_domain *domain);

/* Wait while threads are to wait. */
void pinsight_omp_pause_wait(struct pinsight_omp_thread *thread);

/* In a forked child. */
void pinsight_omp_pause_fork_child(void);

#endif
