/* The domain BLAS, for its calls. */
#ifndef PINSIGHT_BLAS_DOMAIN_H
#define PINSIGHT_BLAS_DOMAIN_H

#include "tracer/blas/shim.h"
#include "tracer/core/calls.h"

extern struct pinsight_calls pinsight_blas;

/* Elements; calls of level 1 with fewer are counted. */
extern _Atomic uint64_t pinsight_blas_shortest_vector;

/* Calls within recorded calls are recorded. */
extern _Atomic bool pinsight_blas_nested;

/* Set before the first call. */
extern const struct pinsight_blas_shim *pinsight_blas_shim;
extern struct pinsight_blas_handlers pinsight_blas_handlers;

/* The bytes of a thread's own data (calls.c). */
#define PINSIGHT_BLAS_THREAD_BYTES 4360

/* Records the definition of a library, by its number, unless it is recorded. Any thread. */
void pinsight_blas_define(unsigned number);

#endif
