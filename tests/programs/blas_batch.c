/*
 * Batches of products: two groups of 3 and 2 in C and in Fortran, and 3 of one size in both. Those
 * are too large for OpenBLAS's special code for small matrices. WIDE: a library of NumPy's wheels,
 * whose integers have 64 bits. Prints a sum over all results.
 */
#include <stdio.h>

#ifdef WIDE
typedef long integer;
#define cblas_dgemm_batch scipy_cblas_dgemm_batch64_
#else
typedef int integer;
#endif

void cblas_dgemm_batch(int, const int *, const int *, const integer *, const integer *,
                       const integer *, const double *, const double **, const integer *,
                       const double **, const integer *, const double *, double **, const integer *,
                       integer, const integer *);
void dgemm_batch_(const char *, const char *, const integer *, const integer *, const integer *,
                  const double *, const double **, const integer *, const double **,
                  const integer *, const double *, double **, const integer *, const integer *,
                  const integer *);
void cblas_dgemm_batch_strided(int, int, int, integer, integer, integer, double, const double *,
                               integer, integer, const double *, integer, integer, double, double *,
                               integer, integer, integer);
void dgemm_batch_strided_(const char *, const char *, const integer *, const integer *,
                          const integer *, const double *, const double *, const integer *,
                          const integer *, const double *, const integer *, const integer *,
                          const double *, double *, const integer *, const integer *,
                          const integer *);

enum { ROOM = 3 * 120 * 130 };
static double a[ROOM], b[ROOM], c[ROOM];

int main(void) {
    /* Each group's own: 20 x 30 x 40, and 4 x 5 x 6. */
    const integer m[] = {20, 4}, n[] = {30, 5}, k[] = {40, 6}, ldb[] = {40, 6}, times[] = {3, 2};
    const int as_it_is[] = {111, 111};
    const double one[] = {1, 1}, zero[] = {0, 0}, *as[5], *bs[5];
    const integer groups = 2, large[] = {110, 120, 130}, batch = 3;
    const integer to_a = 110 * 130, to_b = 130 * 120, to_c = 110 * 120;
    double *cs[5], sum = 0;
    for (int i = 0; i < ROOM; i++) {
        a[i] = 1.0 / (1 + i % 61);
        b[i] = 1.0 / (3 + i % 17);
    }
    for (int i = 0; i < 5; i++) {
        as[i] = a + i * 1600;
        bs[i] = b + i * 1600;
        cs[i] = c + i * 1600;
    }
    cblas_dgemm_batch(102, as_it_is, as_it_is, m, n, k, one, as, m, bs, ldb, zero, cs, m, groups,
                      times);
    for (int i = 0; i < ROOM; i++)
        sum += c[i] * (i % 7);
#ifndef WIDE
    dgemm_batch_("NN", "NN", m, n, k, one, as, m, bs, ldb, zero, cs, m, &groups, times);
    for (int i = 0; i < ROOM; i++)
        sum += c[i] * (i % 5);
#endif
    cblas_dgemm_batch_strided(102, 111, 111, 110, 120, 130, 1, a, 110, to_a, b, 130, to_b, 0, c,
                              110, to_c, batch);
    for (int i = 0; i < ROOM; i++)
        sum += c[i] * (i % 3);
    dgemm_batch_strided_("N", "N", large, large + 1, large + 2, one, a, large, &to_a, b, large + 2,
                         &to_b, zero, c, large, &to_c, &batch);
    for (int i = 0; i < ROOM; i++)
        sum += c[i];
    printf("%a\n", sum);
    return 0;
}
