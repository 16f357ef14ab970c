/* A BLAS that does nothing: the cost of a call is that of its recording. */
#define ARGUMENTS                                                                                  \
    int order, int transa, int transb, int m, int n, int k, double alpha, const double *a,         \
        int lda, const double *b, int ldb, double beta, double *c, int ldc

#define NOTHING(name)                                                                              \
    __attribute__((visibility("default"))) void name(ARGUMENTS);                                   \
    void name(ARGUMENTS) {                                                                         \
        (void)order, (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)a,  \
            (void)lda, (void)b, (void)ldb, (void)beta, (void)c, (void)ldc;                         \
    }

NOTHING(cblas_dgemm)
NOTHING(bench_dgemm) /* a name that PInsight does not know */
