/* The functions of the benchmark. All do the same, which is nothing. */
#ifndef BENCH_BLAS_DGEMM_H
#define BENCH_BLAS_DGEMM_H

#define ARGUMENTS                                                                                  \
    int order, int transa, int transb, int m, int n, int k, double alpha, const double *a,         \
        int lda, const double *b, int ldb, double beta, double *c, int ldc
#define PASSED order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void cblas_dgemm(ARGUMENTS); /* PInsight records its calls */
EXPORTED void bench_dgemm(ARGUMENTS); /* nobody knows it */
EXPORTED void bare_dgemm(ARGUMENTS);  /* libbare.so precedes it */

/* For libbare.so: called before its first event. */
EXPORTED void bare_start(void);

#endif
