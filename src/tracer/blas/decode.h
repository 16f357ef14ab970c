/* The functions of BLAS and LAPACK, and where their sizes are among their arguments. */
#ifndef PINSIGHT_BLAS_DECODE_H
#define PINSIGHT_BLAS_DECODE_H

#include "describe/blas_kinds.h"
#include "tracer/blas/shim.h"

/* A routine in one type and one interface. Places are those of words among the arguments that are
 * in general registers or on the stack; -1 is none. */
struct pinsight_blas_shape {
    const char *name; /* "dgemm" */
    uint8_t routine;  /* enum pinsight_blas_routine */
    uint8_t type;     /* enum pinsight_blas_type */
    uint8_t kind;     /* of event: enum pinsight_blas_kind */
    bool is_c;        /* integers and letters are values; otherwise addresses of them */
    int8_t m, n, k;
    int8_t side;   /* the letter that decides whether k is m or n */
    int8_t job[2]; /* letters that ask for vectors */
    int8_t lwork;
    int8_t order; /* of C's routines of level 2 and 3 */
    int8_t transa, transb;
    int8_t lda, ldb,
        ldc; /* leading dimensions, and increments of vectors instead of the last two */
};

struct pinsight_blas_sizes {
    uint64_t m, n, k;
};

/* The places of operands in memory, as in the event. */
struct pinsight_blas_layout {
    uint8_t order, transa, transb;
    int64_t lda, ldb, ldc;
};

/* Returns the shape of a function. Any thread. */
const struct pinsight_blas_shape *pinsight_blas_shape_of(unsigned function);

/* Reads the sizes of a call; a negative size is 0. Returns false if the call does no work, because
 * it asks for the size of its workspace. Any thread. */
bool pinsight_blas_decode(const struct pinsight_blas_shape *shape,
                          const struct pinsight_blas_call *call, struct pinsight_blas_sizes *sizes);

/* Returns the layout of a call's operands. Any thread. */
struct pinsight_blas_layout pinsight_blas_layout_of(const struct pinsight_blas_shape *shape,
                                                    const struct pinsight_blas_call *call);

#endif
