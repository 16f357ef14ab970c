/* A BLAS that does nothing: the cost of a call is that of its recording. */
#include "dgemm.h"

#define NOTHING(name)                                                                              \
    void name(ARGUMENTS) {                                                                         \
        (void)order, (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)a,  \
            (void)lda, (void)b, (void)ldb, (void)beta, (void)c, (void)ldc;                         \
    }

NOTHING(cblas_dgemm)
NOTHING(bench_dgemm)
NOTHING(bare_dgemm)
