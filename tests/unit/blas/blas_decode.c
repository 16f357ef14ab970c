/* Unit tests of the sizes of calls of BLAS and LAPACK: arguments as callers pass them, in registers
 * and on the stack. */
#include "unit.h"

#include "blas/count.h"
#include "tracer/blas/decode.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#include "blas/names.inc"
};

static unsigned function_named(const char *name) {
    for (unsigned i = 0; i < PINSIGHT_BLAS_FUNCTIONS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no function %s", name);
    return 0;
}

/* Calls with words of arguments; at most 24 of them. */
static bool decode(const char *name, struct pinsight_record_blas_blas_begin *sizes,
                   const uintptr_t *words) {
    struct pinsight_blas_frame *frame = calloc(1, sizeof *frame + 24 * sizeof *words);
    assert_non_null(frame);
    memcpy(frame->registers, words, PINSIGHT_BLAS_REGISTERS * sizeof *words);
    memcpy(frame->stack, words + PINSIGHT_BLAS_REGISTERS,
           (24 - PINSIGHT_BLAS_REGISTERS) * sizeof *words);
    bool does_work = pinsight_blas_reader_of(function_named(name))(frame, sizes);
    free(frame);
    return does_work;
}

#define WORDS(...)                                                                                 \
    (const uintptr_t[32]) {                                                                        \
        __VA_ARGS__                                                                                \
    }
#define AT(value) (uintptr_t) & (int32_t[]){value, -1}[0] /* what follows is not looked at */
#define WIDE(value) (uintptr_t) & (int64_t[]){value}[0]
#define LETTER(letter) (uintptr_t)(letter)

#define assert_sizes(sizes, of_m, of_n, of_k)                                                      \
    do {                                                                                           \
        assert_int_equal((sizes).m, of_m);                                                         \
        assert_int_equal((sizes).n, of_n);                                                         \
        assert_int_equal((sizes).k, of_k);                                                         \
    } while (0)

static void test_a_product_in_fortran(void **state) {
    (void)state;
    struct pinsight_record_blas_blas_begin sizes;
    assert_true(decode("dgemm_", &sizes, WORDS(LETTER("N"), LETTER("T"), AT(3), AT(4), AT(5))));
    assert_sizes(sizes, 3, 4, 5);
    assert_true(decode("scipy_zgemm_64_", &sizes,
                       WORDS(LETTER("N"), LETTER("T"), WIDE(5000000000), WIDE(4), WIDE(5))));
    assert_sizes(sizes, 5000000000, 4, 5);
}

/* Numbers that are values are in other registers, addresses of numbers are not. */
static void test_a_product_in_c(void **state) {
    (void)state;
    struct pinsight_record_blas_blas_begin sizes;
    uintptr_t above = (uintptr_t)0xdeadbeef << 32; /* the upper half of a register is undefined */
    assert_true(
        decode("cblas_dgemm", &sizes, WORDS(102, 111, 111, above | 3, above | 4, above | 5)));
    assert_sizes(sizes, 3, 4, 5);
    assert_true(decode("scipy_cblas_cgemm64_", &sizes, WORDS(102, 111, 111, 3, 4, 5)));
    assert_sizes(sizes, 3, 4, 5);
    assert_true(decode("cblas_daxpy", &sizes, WORDS(7, 0, 1, 0, 1)));
    assert_sizes(sizes, 7, 0, 0);
    assert_true(decode("cblas_zaxpy64_", &sizes, WORDS(7, 0, 0, 1, 0, 1)));
    assert_sizes(sizes, 7, 0, 0);
    assert_true(decode("cblas_zher", &sizes, WORDS(102, 121, 9, 0, 1, 0, 9)));
    assert_sizes(sizes, 9, 9, 0);
}

static void test_a_side(void **state) {
    (void)state;
    struct pinsight_record_blas_blas_begin sizes;
    assert_true(decode("strsm_", &sizes,
                       WORDS(LETTER("l"), LETTER("U"), LETTER("N"), LETTER("N"), AT(3), AT(4))));
    assert_sizes(sizes, 3, 4, 3);
    assert_true(decode("cblas_strsm", &sizes, WORDS(101, 142, 121, 111, 131, 3, 4)));
    assert_sizes(sizes, 3, 4, 4);
    assert_true(decode("cblas_dsymm", &sizes, WORDS(101, 141, 121, 3, 4)));
    assert_sizes(sizes, 3, 4, 3);
}

static void test_lapack(void **state) {
    (void)state;
    struct pinsight_record_blas_blas_begin sizes;
    assert_true(decode("dgesv_", &sizes, WORDS(AT(30), AT(2))));
    assert_sizes(sizes, 30, 30, 2);
    assert_true(decode("scipy_dorgqr_64_", &sizes,
                       WORDS(WIDE(8), WIDE(6), WIDE(5), 0, WIDE(8), 0, 0, WIDE(64))));
    assert_sizes(sizes, 8, 6, 5);
}

/* The letter of a job that wants no vectors; and a question for the size of the workspace. */
static void test_jobs_and_workspaces(void **state) {
    (void)state;
    struct pinsight_record_blas_blas_begin sizes;
    assert_true(
        decode("dsyevd_", &sizes, WORDS(LETTER("V"), LETTER("U"), AT(9), 0, AT(9), 0, 0, AT(100))));
    assert_sizes(sizes, 9, 9, 9);
    assert_true(
        decode("dsyevd_", &sizes, WORDS(LETTER("N"), LETTER("U"), AT(9), 0, AT(9), 0, 0, AT(100))));
    assert_sizes(sizes, 9, 9, 0);
    assert_false(
        decode("dsyevd_", &sizes, WORDS(LETTER("N"), LETTER("U"), AT(9), 0, AT(9), 0, 0, AT(-1))));
    assert_true(decode(
        "zgeev_", &sizes,
        WORDS(LETTER("N"), LETTER("V"), AT(9), 0, AT(9), 0, 0, AT(1), 0, AT(9), 0, AT(100))));
    assert_sizes(sizes, 9, 9, 9);
    assert_false(decode(
        "scipy_dgesdd_64_", &sizes,
        WORDS(LETTER("S"), WIDE(9), WIDE(7), 0, WIDE(9), 0, 0, WIDE(9), 0, WIDE(7), 0, WIDE(-1))));
}

static struct pinsight_record_blas_blas_begin layout_of(const char *name, const uintptr_t *words) {
    struct pinsight_record_blas_blas_begin event;
    assert_true(decode(name, &event, words));
    return event;
}

static void assert_layout(struct pinsight_record_blas_blas_begin layout, unsigned order,
                          unsigned transa, unsigned transb, int64_t lda, int64_t ldb, int64_t ldc) {
    assert_int_equal(layout.order, order);
    assert_int_equal(layout.transa, transa);
    assert_int_equal(layout.transb, transb);
    assert_int_equal(layout.lda, lda);
    assert_int_equal(layout.ldb, ldb);
    assert_int_equal(layout.ldc, ldc);
}

/* Numbers of enums in the event table: order columns 0, rows 1; none 0, n 1, t 2, c 3. */
static void test_layouts(void **state) {
    (void)state;
    assert_layout(
        layout_of("scipy_cblas_dgemm64_", WORDS(101, 112, 111, 3, 4, 5, 0, 30, 0, 40, 0, 50)), 1, 2,
        1, 30, 40, 50);
    assert_layout(
        layout_of("cblas_zgemm", WORDS(102, 113, 114, 3, 4, 5, 0, 0, 30, 0, 40, 0, 0, 50)), 0, 3, 0,
        30, 40, 50);
    assert_layout(layout_of("dgemm_", WORDS(LETTER("N"), LETTER("c"), AT(3), AT(4), AT(5), 0, 0,
                                            AT(30), 0, AT(40), 0, 0, AT(50))),
                  0, 1, 3, 30, 40, 50);
    assert_layout(layout_of("cblas_dgemv", WORDS(101, 112, 3, 4, 0, 7, 0, (uintptr_t)-2, 0, 9)), 1,
                  2, 0, 7, -2, 9);
    assert_layout(layout_of("ddot_", WORDS(AT(9), 0, AT(2), 0, AT(-1))), 0, 0, 0, 0, 2, -1);
    assert_layout(layout_of("dgesv_", WORDS(AT(9), AT(1), 0, AT(10), 0, 0, AT(11), 0)), 0, 0, 0, 10,
                  11, 0);
}

/* A batch of products of one size, and another routine, which is no batch. */
static void test_a_batch(void **state) {
    (void)state;
    struct pinsight_record_blas_blas_begin event;
    assert_true(decode("cblas_dgemm_batch_strided", &event,
                       WORDS(101, 112, 111, 3, 4, 5, 0, 30, 15, 0, 40, 20, 0, 50, 12, 64)));
    assert_sizes(event, 3, 4, 5);
    assert_int_equal(event.batch, 64);
    assert_int_equal(event.multiplications, 0);
    assert_int_equal(event.transa, 2);
    assert_int_equal(event.lda, 30);
    assert_int_equal(event.ldb, 40);
    assert_int_equal(event.ldc, 50);
    assert_true(decode("cblas_zgemm_batch_strided64_", &event,
                       WORDS(101, 112, 111, 3, 4, 5, 0, 0, 30, 15, 0, 40, 20, 0, 0, 50, 12, 64)));
    assert_int_equal(event.batch, 64);
    assert_int_equal(event.ldc, 50);
    assert_true(decode("dgemm_batch_strided_", &event,
                       WORDS(LETTER("N"), LETTER("T"), AT(3), AT(4), AT(5), 0, 0, AT(30), AT(15), 0,
                             AT(40), AT(20), 0, 0, AT(50), AT(12), AT(64))));
    assert_sizes(event, 3, 4, 5);
    assert_int_equal(event.batch, 64);
    assert_true(decode("dgemm_", &event, WORDS(LETTER("N"), LETTER("T"), AT(3), AT(4), AT(5))));
    assert_int_equal(event.batch, 1);
}

/* Groups: the sizes are those of the first one, the numbers of products of all. */
static void test_groups_of_a_batch(void **state) {
    (void)state;
    struct pinsight_record_blas_blas_begin event;
    const int32_t letters[] = {112, 111}, m[] = {3, 6}, same[] = {4, 4}, products[] = {10, 7};
    const uintptr_t above = (uintptr_t)0xdeadbeef << 32;
#define IN_C(of_n, groups)                                                                         \
    WORDS(102, (uintptr_t)letters, (uintptr_t)letters, (uintptr_t)m, (uintptr_t)(of_n),            \
          (uintptr_t)same, 0, 0, (uintptr_t)m, 0, (uintptr_t)same, 0, 0, (uintptr_t)m,             \
          above | (groups), (uintptr_t)products)
    assert_true(decode("cblas_dgemm_batch", &event, IN_C(same, 2)));
    assert_sizes(event, 3, 4, 4);
    assert_int_equal(event.batch, 17);
    assert_int_equal(event.multiplications, 10 * 3 * 4 * 4 + 7 * 6 * 4 * 4);
    assert_int_equal(event.transa, 2);
    assert_int_equal(event.lda, 3);
    assert_int_equal(event.ldb, 4);
    assert_true(decode("cblas_dgemm_batch", &event, IN_C(same, 1)));
    assert_int_equal(event.batch, 10);
    assert_int_equal(event.multiplications, 0);
    const int64_t wide[] = {5, 5}, times[] = {2, 3};
    assert_true(decode("scipy_zgemm_batch_64_", &event,
                       WORDS(LETTER("NT"), LETTER("TN"), (uintptr_t)wide, (uintptr_t)wide,
                             (uintptr_t)wide, 0, 0, (uintptr_t)wide, 0, (uintptr_t)wide, 0, 0,
                             (uintptr_t)wide, WIDE(2), (uintptr_t)times)));
    assert_sizes(event, 5, 5, 5);
    assert_int_equal(event.batch, 5);
    assert_int_equal(event.multiplications, 0);
    assert_int_equal(event.transb, 2);
}

/* The arrays of a batch without groups may be empty, so their addresses are not read. */
static void test_no_groups(void **state) {
    (void)state;
    struct pinsight_record_blas_blas_begin event;
    assert_true(decode("cblas_dgemm_batch", &event,
                       WORDS(102, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1)));
    assert_sizes(event, 0, 0, 0);
    assert_int_equal(event.batch, 0);
    assert_int_equal(event.transa, 0);
}

/* The library refuses them; here they are nothing. */
static void test_bad_arguments(void **state) {
    (void)state;
    struct pinsight_record_blas_blas_begin sizes;
    assert_true(decode("dgemm_", &sizes, WORDS(0, 0, AT(-3), 0, AT(5))));
    assert_sizes(sizes, 0, 0, 5);
}

/* Each function has a shape whose name is in that of the function. */
static void test_every_function_has_its_shape(void **state) {
    (void)state;
    for (unsigned i = 0; i < PINSIGHT_BLAS_FUNCTIONS; i++) {
        const struct pinsight_blas_shape *shape = pinsight_blas_shape_of(i);
        assert_non_null(strstr(names[i], shape->name));
        struct pinsight_record_blas_blas_begin event;
        assert_true(shape->kind < PINSIGHT_BLAS_KINDS);
        assert_true(decode(names[i], &event, WORDS(0))); /* NULL is read as 0 */
        assert_sizes(event, 0, 0, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_product_in_fortran),
        cmocka_unit_test(test_a_product_in_c),
        cmocka_unit_test(test_a_side),
        cmocka_unit_test(test_lapack),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_jobs_and_workspaces),
        cmocka_unit_test(test_a_batch),
        cmocka_unit_test(test_groups_of_a_batch),
        cmocka_unit_test(test_no_groups),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_every_function_has_its_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
