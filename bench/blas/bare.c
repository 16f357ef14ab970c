/*
 * libbare.so, the floor of a call: a tool for one function. It precedes libblas.so in the search
 * for its function, reads the arguments that it knows, records the two events, and does nothing
 * else.
 */
#include "../floor/recorder.h"
#include "dgemm.h"
#include "tracer/record/floor_blas.h"

enum { C_ROWS = 101, C_AS_IT_IS = 111, ROUTINE_GEMM = 0, TYPE_D = 1, TRANS_N = 1 };

static void (*real)(ARGUMENTS);

void bare_start(void) {
    FLOOR_RECORDER(floor_blas);
    real = (void (*)(ARGUMENTS))dlsym(RTLD_NEXT, "bare_dgemm");
}

void bare_dgemm(ARGUMENTS) {
    if (pinsight_record_floor_blas_blas_begin_enabled())
        pinsight_record_floor_blas_blas_begin(&(struct pinsight_record_floor_blas_blas_begin){
            .codeptr = (uintptr_t)__builtin_return_address(0),
            .routine = ROUTINE_GEMM,
            .type = TYPE_D,
            .m = (uint64_t)m,
            .n = (uint64_t)n,
            .k = (uint64_t)k,
            .batch = 1,
            .order = order == C_ROWS,
            .transa = (uint8_t)(transa - C_AS_IT_IS + TRANS_N),
            .transb = (uint8_t)(transb - C_AS_IT_IS + TRANS_N),
            .lda = lda,
            .ldb = ldb,
            .ldc = ldc,
            .library = 1});
    real(PASSED);
    if (pinsight_record_floor_blas_blas_end_enabled())
        pinsight_record_floor_blas_blas_end();
}
