/*
 * Counts calls of some routines of the BLAS that NumPy's wheels carry, with their sizes, for a test
 * that compares: preloaded, without PInsight. Writes a line for each routine and size to the file
 * in $BLAS_COUNTS: "dgemm 500 300 400 20". Calls that a counted call makes are not counted, nor are
 * questions for the size of a workspace.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *name;
    long m, n, k, calls;
} counts[1000];
static int used, depth;

static void count(const char *name, long m, long n, long k) {
    if (depth++)
        return;
    for (int i = 0; i < used; i++)
        if (!strcmp(counts[i].name, name) && counts[i].m == m && counts[i].n == n &&
            counts[i].k == k) {
            counts[i].calls++;
            return;
        }
    counts[used].name = name;
    counts[used].m = m;
    counts[used].n = n;
    counts[used].k = k;
    counts[used++].calls = 1;
}

__attribute__((destructor)) static void tell(void) {
    FILE *file = getenv("BLAS_COUNTS") ? fopen(getenv("BLAS_COUNTS"), "w") : NULL;
    for (int i = 0; file && i < used; i++)
        fprintf(file, "%s %ld %ld %ld %ld\n", counts[i].name, counts[i].m, counts[i].n, counts[i].k,
                counts[i].calls);
    if (file)
        fclose(file);
}

/* The library's function, which the object that calls is linked with. */
static void *real(const char *name, void *caller) {
    Dl_info info;
    void *library = dladdr(caller, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = library ? dlsym(library, name) : NULL;
    if (!found)
        abort();
    return found;
}
#define REAL(name) real(name, __builtin_return_address(0))

#define GEMM(type, scalar, by)                                                                     \
    void scipy_cblas_##type##gemm64_(int order, int ta, int tb, long m, long n, long k,            \
                                     scalar by alpha, void *a, long lda, void *b, long ldb,        \
                                     scalar by beta, void *c, long ldc) {                          \
        void (*to)(int, int, int, long, long, long, scalar by, void *, long, void *, long,         \
                   scalar by, void *, long) = REAL("scipy_cblas_" #type "gemm64_");                \
        count(#type "gemm", m, n, k);                                                              \
        to(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                           \
        depth--;                                                                                   \
    }
GEMM(s, float, )
GEMM(d, double, )
GEMM(z, void, *)

void scipy_cblas_dsyrk64_(int order, int uplo, int trans, long n, long k, double alpha, void *a,
                          long lda, double beta, void *c, long ldc) {
    void (*to)(int, int, int, long, long, double, void *, long, double, void *, long) =
        REAL("scipy_cblas_dsyrk64_");
    count("dsyrk", n, n, k);
    to(order, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
    depth--;
}

void scipy_cblas_dgemv64_(int order, int trans, long m, long n, double alpha, void *a, long lda,
                          void *x, long incx, double beta, void *y, long incy) {
    void (*to)(int, int, long, long, double, void *, long, void *, long, double, void *, long) =
        REAL("scipy_cblas_dgemv64_");
    count("dgemv", m, n, 0);
    to(order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
    depth--;
}

double scipy_cblas_ddot64_(long n, void *x, long incx, void *y, long incy) {
    double (*to)(long, void *, long, void *, long) = REAL("scipy_cblas_ddot64_");
    count("ddot", n, 0, 0);
    double result = to(n, x, incx, y, incy);
    depth--;
    return result;
}

void scipy_dgesv_64_(long *n, long *nrhs, void *a, void *lda, void *pivots, void *b, void *ldb,
                     void *info) {
    void (*to)(long *, long *, void *, void *, void *, void *, void *, void *) =
        REAL("scipy_dgesv_64_");
    count("dgesv", *n, *n, *nrhs);
    to(n, nrhs, a, lda, pivots, b, ldb, info);
    depth--;
}

void scipy_dpotrf_64_(char *uplo, long *n, void *a, void *lda, void *info, long length) {
    void (*to)(char *, long *, void *, void *, void *, long) = REAL("scipy_dpotrf_64_");
    count("dpotrf", *n, *n, 0);
    to(uplo, n, a, lda, info, length);
    depth--;
}

void scipy_dsyevd_64_(char *job, char *uplo, long *n, void *a, void *lda, void *w, void *work,
                      long *lwork, void *iwork, void *liwork, void *info, long one, long two) {
    void (*to)(char *, char *, long *, void *, void *, void *, void *, long *, void *, void *,
               void *, long, long) = REAL("scipy_dsyevd_64_");
    if (*lwork != -1)
        count("dsyevd", *n, *n, *job == 'N' ? 0 : *n);
    to(job, uplo, n, a, lda, w, work, lwork, iwork, liwork, info, one, two);
    if (*lwork != -1)
        depth--;
}

void scipy_dgesdd_64_(char *job, long *m, long *n, void *a, void *lda, void *s, void *u, void *ldu,
                      void *vt, void *ldvt, void *work, long *lwork, void *iwork, void *info,
                      long one) {
    void (*to)(char *, long *, long *, void *, void *, void *, void *, void *, void *, void *,
               void *, long *, void *, void *, long) = REAL("scipy_dgesdd_64_");
    if (*lwork != -1)
        count("dgesdd", *m, *n, *job == 'N' ? 0 : *n);
    to(job, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info, one);
    if (*lwork != -1)
        depth--;
}
