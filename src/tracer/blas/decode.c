/* The sizes of a call, from its arguments; see decode.h. */
#include "tracer/blas/decode.h"

#include "tracer/record/blas_types.h"

#include "blas/count.h"

#include <string.h>

static const struct pinsight_blas_shape shapes[] = {
#include "blas/shapes.inc"
};

static const struct blas_function {
    uint16_t shape;
    bool is_wide; /* integers have 64 bits */
} functions[PINSIGHT_BLAS_FUNCTIONS] = {
#include "blas/functions.inc"
};

/* CBLAS_SIDE, CBLAS_ORDER and CBLAS_TRANSPOSE */
enum { C_LEFT = 141, C_ROWS = 101, C_AS_IT_IS = 111, C_TRANSPOSED, C_CONJUGATED };

static uintptr_t word(const struct pinsight_blas_call *call, int place) {
    return place < PINSIGHT_BLAS_REGISTERS ? call->registers[place]
                                           : call->stack[place - PINSIGHT_BLAS_REGISTERS];
}

/* Reads an integer. The upper half of a word that has 32 bits is undefined. */
static int64_t integer(const struct pinsight_blas_shape *shape,
                       const struct pinsight_blas_call *call, int place) {
    bool is_wide = functions[call->function].is_wide;
    uintptr_t value = word(call, place);
    const void *at = shape->is_c ? (const void *)&value : (const void *)value;
    int64_t wide = 0;
    int32_t narrow = 0;

    if (!at)
        return 0;
    if (is_wide)
        memcpy(&wide, at, sizeof wide);
    else
        memcpy(&narrow, at, sizeof narrow);
    return is_wide ? wide : narrow;
}

static char letter(const struct pinsight_blas_call *call, int place) {
    const char *text = (const char *)word(call, place);

    return text ? (char)(*text & ~0x20) : '\0'; /* as a capital */
}

static uint64_t size(const struct pinsight_blas_shape *shape, const struct pinsight_blas_call *call,
                     int place) {
    int64_t value = place < 0 ? 0 : integer(shape, call, place);

    return value > 0 ? (uint64_t)value : 0;
}

static bool is_left(const struct pinsight_blas_shape *shape,
                    const struct pinsight_blas_call *call) {
    return shape->is_c ? (int)word(call, shape->side) == C_LEFT : letter(call, shape->side) == 'L';
}

/* Letters of jobs are LAPACK's, which has no C interface. */
static bool wants_vectors(const struct pinsight_blas_shape *shape,
                          const struct pinsight_blas_call *call) {
    for (int i = 0; i < 2; i++)
        if (shape->job[i] >= 0 && letter(call, shape->job[i]) != 'N')
            return true;
    return false;
}

static uint8_t transposition(const struct pinsight_blas_shape *shape,
                             const struct pinsight_blas_call *call, int place) {
    if (place < 0)
        return PINSIGHT_BLAS_TRANS_NONE;
    int value = shape->is_c ? (int)word(call, place) : letter(call, place);
    switch (value) {
    case C_AS_IT_IS:
    case 'N':
        return PINSIGHT_BLAS_TRANS_N;
    case C_TRANSPOSED:
    case 'T':
        return PINSIGHT_BLAS_TRANS_T;
    case C_CONJUGATED:
    case 'C':
        return PINSIGHT_BLAS_TRANS_C;
    default: /* the library refuses it */
        return PINSIGHT_BLAS_TRANS_NONE;
    }
}

static int64_t distance(const struct pinsight_blas_shape *shape,
                        const struct pinsight_blas_call *call, int place) {
    return place < 0 ? 0 : integer(shape, call, place);
}

struct pinsight_blas_layout pinsight_blas_layout_of(const struct pinsight_blas_shape *shape,
                                                    const struct pinsight_blas_call *call) {
    bool by_rows = shape->order >= 0 && (int)word(call, shape->order) == C_ROWS;

    return (struct pinsight_blas_layout){
        .order = by_rows ? PINSIGHT_BLAS_ORDER_ROWS : PINSIGHT_BLAS_ORDER_COLUMNS,
        .transa = transposition(shape, call, shape->transa),
        .transb = transposition(shape, call, shape->transb),
        .lda = distance(shape, call, shape->lda),
        .ldb = distance(shape, call, shape->ldb),
        .ldc = distance(shape, call, shape->ldc),
    };
}

const struct pinsight_blas_shape *pinsight_blas_shape_of(unsigned function) {
    return &shapes[functions[function].shape];
}

bool pinsight_blas_decode(const struct pinsight_blas_shape *shape,
                          const struct pinsight_blas_call *call,
                          struct pinsight_blas_sizes *sizes) {
    if (shape->lwork >= 0 && integer(shape, call, shape->lwork) == -1)
        return false;
    sizes->m = size(shape, call, shape->m);
    sizes->n = size(shape, call, shape->n);
    sizes->k = size(shape, call, shape->k);
    if (shape->side >= 0)
        sizes->k = is_left(shape, call) ? sizes->m : sizes->n;
    else if (shape->job[0] >= 0)
        sizes->k = wants_vectors(shape, call) ? sizes->n : 0;
    return true;
}
