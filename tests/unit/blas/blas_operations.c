/* Unit tests of the numbers of floating-point operations, beside those of LAPACK's own counts
 * (LAPACK Working Note 41, the leading terms). */
#include "unit.h"

#include "reader/blas/blas.h"

#include <math.h>
#include <string.h>

/* The numbers of a routine's name in events. */
static void find(const char *name, unsigned *routine, unsigned *type) {
    char text[PINSIGHT_BLAS_NAME_ROOM];

    for (*type = 0; *type < 8; ++*type)
        for (*routine = 0; *routine < 256; ++*routine)
            if (pinsight_blas_name(*routine, *type, text) && strcmp(text, name) == 0)
                return;
    fail_msg("there is no routine %s", name);
}

static double operations(const char *name, uint64_t m, uint64_t n, uint64_t k) {
    struct pinsight_blas_size size = {m, n, k, 1, 0};
    unsigned routine, type;

    find(name, &routine, &type);
    return pinsight_blas_operations(routine, type, &size);
}

#define assert_count(count, of_count) assert_true(fabs((count) - (of_count)) <= 1e-9 * (of_count))

static void test_products(void **state) {
    (void)state;
    assert_count(operations("dgemm", 3, 4, 5), 120);
    assert_count(operations("zgemm", 3, 4, 5), 480);
    assert_count(operations("dgemv", 3, 4, 0), 24);
    assert_count(operations("dsyrk", 4, 4, 5), 100);
    assert_count(operations("strsm", 3, 4, 3), 36);
    assert_count(operations("ddot", 100, 0, 0), 200);
    assert_count(operations("dznrm2", 100, 0, 0), 800);
}

static void test_batches(void **state) {
    (void)state;
    struct pinsight_blas_size same = {3, 4, 5, 10, 0}, others = {3, 4, 5, 10, 777};
    unsigned routine, type;

    find("zgemm_batch_strided", &routine, &type);
    assert_count(pinsight_blas_operations(routine, type, &same), 4800);
    find("dgemm_batch", &routine, &type);
    assert_count(pinsight_blas_operations(routine, type, &same), 1200);
    assert_count(pinsight_blas_operations(routine, type, &others), 2 * 777);
}

static void test_factorisations(void **state) {
    (void)state;
    double n = 100, m = 300;

    assert_count(operations("dgetrf", 100, 100, 0), 2 * n * n * n / 3);
    assert_count(operations("dgetrf", 300, 100, 0), m * n * n - n * n * n / 3);
    assert_count(operations("dpotrf", 100, 100, 0), n * n * n / 3);
    assert_count(operations("dgesv", 100, 100, 7), 2 * n * n * n / 3 + 2 * n * n * 7);
    assert_count(operations("dgeqrf", 300, 100, 0), 2 * m * n * n - 2 * n * n * n / 3);
    assert_count(operations("dgeqrf", 100, 300, 0), 2 * m * n * n - 2 * n * n * n / 3);
    assert_count(operations("dorgqr", 300, 100, 100), 2 * m * n * n - 2 * n * n * n / 3);
}

static void test_eigenvalues(void **state) {
    (void)state;
    double n = 100;

    assert_count(operations("dsyevd", 100, 100, 0), 4 * n * n * n / 3);
    assert_count(operations("dsyevd", 100, 100, 100), 9 * n * n * n);
    assert_count(operations("dgeev", 100, 100, 100), 25 * n * n * n);
    assert_count(operations("dgesdd", 100, 100, 0), 8 * n * n * n / 3);
    assert_count(operations("dgesdd", 100, 100, 100), 22 * n * n * n);
}

/* Those of a newer PInsight. */
static void test_unknown_numbers(void **state) {
    (void)state;
    char text[PINSIGHT_BLAS_NAME_ROOM];

    assert_false(pinsight_blas_name(250, 1, text));
    assert_string_equal(text, "?");
    assert_false(pinsight_blas_name(0, 99, text));
    assert_count(pinsight_blas_operations(250, 99, &(struct pinsight_blas_size){3, 4, 5, 1, 0}), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_factorisations),  cmocka_unit_test(test_eigenvalues),
        cmocka_unit_test(test_unknown_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
