/* The functions of BLAS and LAPACK, and what their arguments say. */
#ifndef PINSIGHT_BLAS_DECODE_H
#define PINSIGHT_BLAS_DECODE_H

#include "describe/blas_kinds.h"
#include "tracer/blas/frame.h"
#include "tracer/record/blas_types.h"

#include <stdbool.h>

/* A routine in one type and one interface. */
struct pinsight_blas_shape {
    const char *name; /* "dgemm" */
    uint8_t routine;  /* enum pinsight_blas_routine */
    uint8_t type;     /* enum pinsight_blas_type */
    uint8_t kind;     /* of event: enum pinsight_blas_kind */
};

/* Returns the shape of a function. Any thread. */
const struct pinsight_blas_shape *pinsight_blas_shape_of(unsigned function);

/* Reads the arguments of a call into the event's fields m, n, k, batch, multiplications, order,
 * transa, transb, lda, ldb and ldc. A negative size is 0. Returns false if the call does no work,
 * because it asks for the size of its workspace; the fields are then undefined. Any thread. */
typedef bool pinsight_blas_reader(const struct pinsight_blas_frame *frame,
                                  struct pinsight_record_blas_blas_begin *event);

/* Returns the reader of a function. Any thread. */
pinsight_blas_reader *pinsight_blas_reader_of(unsigned function);

#endif
