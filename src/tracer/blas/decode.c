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

/* A call whose arguments are read. */
struct blas_reading {
    const struct pinsight_blas_shape *shape;
    const struct pinsight_blas_call *call;
    bool is_c, is_wide; /* of its interface: copies, which stay in registers */
};

static inline struct blas_reading reading_of(const struct pinsight_blas_shape *shape,
                                             const struct pinsight_blas_call *call) {
    return (struct blas_reading){shape, call, shape->is_c, functions[call->function].is_wide};
}

static inline uintptr_t word(const struct blas_reading *reading, int place) {
    return place < PINSIGHT_BLAS_REGISTERS ? reading->call->registers[place]
                                           : reading->call->stack[place - PINSIGHT_BLAS_REGISTERS];
}

/* Reads an integer. The upper half of a word that has 32 bits is undefined. Inline, because a call
 * has up to seven of them. */
static inline __attribute__((always_inline)) int64_t integer(const struct blas_reading *reading,
                                                             int place) {
    uintptr_t value = word(reading, place);
    int64_t wide;
    int32_t narrow;

    if (reading->is_c)
        return reading->is_wide ? (int64_t)value : (int32_t)value;
    if (!value)
        return 0;
    if (reading->is_wide) {
        memcpy(&wide, (const void *)value, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const void *)value, sizeof narrow);
    return narrow;
}

static char letter(const struct blas_reading *reading, int place) {
    const char *text = (const char *)word(reading, place);

    return text ? (char)(*text & ~0x20) : '\0'; /* as a capital */
}

static inline uint64_t size(const struct blas_reading *reading, int place) {
    int64_t value = place < 0 ? 0 : integer(reading, place);

    return value > 0 ? (uint64_t)value : 0;
}

static bool is_left(const struct blas_reading *reading) {
    return reading->is_c ? (int)word(reading, reading->shape->side) == C_LEFT
                         : letter(reading, reading->shape->side) == 'L';
}

/* Letters of jobs are LAPACK's, which has no C interface. */
static bool wants_vectors(const struct blas_reading *reading) {
    for (int i = 0; i < 2; i++)
        if (reading->shape->job[i] >= 0 && letter(reading, reading->shape->job[i]) != 'N')
            return true;
    return false;
}

static inline uint8_t transposition(const struct blas_reading *reading, int place) {
    if (place < 0)
        return PINSIGHT_BLAS_TRANS_NONE;
    int value = reading->is_c ? (int)word(reading, place) : letter(reading, place);
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

static inline int64_t distance(const struct blas_reading *reading, int place) {
    return place < 0 ? 0 : integer(reading, place);
}

struct pinsight_blas_layout pinsight_blas_layout_of(const struct pinsight_blas_shape *shape,
                                                    const struct pinsight_blas_call *call) {
    const struct blas_reading reading = reading_of(shape, call);
    bool by_rows = shape->order >= 0 && (int)word(&reading, shape->order) == C_ROWS;

    return (struct pinsight_blas_layout){
        .order = by_rows ? PINSIGHT_BLAS_ORDER_ROWS : PINSIGHT_BLAS_ORDER_COLUMNS,
        .transa = transposition(&reading, shape->transa),
        .transb = transposition(&reading, shape->transb),
        .lda = distance(&reading, shape->lda),
        .ldb = distance(&reading, shape->ldb),
        .ldc = distance(&reading, shape->ldc),
    };
}

const struct pinsight_blas_shape *pinsight_blas_shape_of(unsigned function) {
    return &shapes[functions[function].shape];
}

bool pinsight_blas_decode(const struct pinsight_blas_shape *shape,
                          const struct pinsight_blas_call *call,
                          struct pinsight_blas_sizes *sizes) {
    const struct blas_reading reading = reading_of(shape, call);

    if (shape->lwork >= 0 && integer(&reading, shape->lwork) == -1)
        return false;
    sizes->m = size(&reading, shape->m);
    sizes->n = size(&reading, shape->n);
    sizes->k = size(&reading, shape->k);
    if (shape->side >= 0)
        sizes->k = is_left(&reading) ? sizes->m : sizes->n;
    else if (shape->job[0] >= 0)
        sizes->k = wants_vectors(&reading) ? sizes->n : 0;
    return true;
}
