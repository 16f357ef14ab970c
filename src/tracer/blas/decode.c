/* The sizes and operands of a call, from its arguments; see decode.h. */
#include "tracer/blas/decode.h"

#include "blas/count.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

static const struct pinsight_blas_shape shapes[] = {
#include "blas/shapes.inc"
};

/*
 * The places of a function's sizes and operands: those of words among the arguments that are in
 * general registers or on the stack; -1 is none. They are constants in each reader, so that it
 * reads the words and decides nothing.
 */
struct blas_places {
    bool is_c;    /* integers and letters are values; otherwise addresses of them */
    bool is_wide; /* integers have 64 bits */
    int8_t m, n, k;
    int8_t side;   /* the letter that decides whether k is m or n */
    int8_t job[2]; /* letters that ask for vectors */
    int8_t lwork;
    int8_t order; /* of C's routines of level 2 and 3 */
    int8_t transa, transb;
    /* leading dimensions, and increments of vectors instead of the last two */
    int8_t lda, ldb, ldc;
    int8_t batch;  /* the number of products in a call */
    int8_t groups; /* their groups: letters and other integers are then arrays */
};

/* CBLAS_SIDE, CBLAS_ORDER and CBLAS_TRANSPOSE */
enum { C_LEFT = 141, C_ROWS = 101, C_AS_IT_IS = 111, C_TRANSPOSED, C_CONJUGATED };

/* Transpositions have the same order in C and in events. */
_Static_assert(PINSIGHT_BLAS_TRANS_T - PINSIGHT_BLAS_TRANS_N == C_TRANSPOSED - C_AS_IT_IS &&
                   PINSIGHT_BLAS_TRANS_C - PINSIGHT_BLAS_TRANS_N == C_CONJUGATED - C_AS_IT_IS,
               "n, t, c");

INLINE uintptr_t word(const struct pinsight_blas_frame *frame, int place) {
    return place < PINSIGHT_BLAS_REGISTERS ? frame->registers[place]
                                           : frame->stack[place - PINSIGHT_BLAS_REGISTERS];
}

/* Reads an integer of an array. */
INLINE int64_t element(const struct blas_places *places, const struct pinsight_blas_frame *frame,
                       int place, int64_t index) {
    const char *array = (const char *)word(frame, place);
    int64_t wide;
    int32_t narrow;

    if (!array)
        return 0;
    if (places->is_wide) {
        memcpy(&wide, array + index * (int64_t)sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, array + index * (int64_t)sizeof narrow, sizeof narrow);
    return narrow;
}

/* Reads an integer, or the first one of an array. The upper half of a word that has 32 bits is
 * undefined. */
INLINE int64_t integer(const struct blas_places *places, const struct pinsight_blas_frame *frame,
                       int place) {
    if (place < 0)
        return 0;
    if (!places->is_c || (places->groups >= 0 && place != places->groups))
        return element(places, frame, place, 0);
    uintptr_t value = word(frame, place);

    return places->is_wide ? (int64_t)value : (int32_t)value;
}

INLINE char letter(const struct pinsight_blas_frame *frame, int place) {
    const char *text = (const char *)word(frame, place);

    return text ? (char)(*text & ~0x20) : '\0'; /* as a capital */
}

INLINE uint64_t size(const struct blas_places *places, const struct pinsight_blas_frame *frame,
                     int place) {
    int64_t value = integer(places, frame, place);

    return value > 0 ? (uint64_t)value : 0;
}

INLINE bool is_left(const struct blas_places *places, const struct pinsight_blas_frame *frame) {
    return places->is_c ? (int)word(frame, places->side) == C_LEFT
                        : letter(frame, places->side) == 'L';
}

/* Letters of jobs are LAPACK's, which has no C interface. */
INLINE bool wants_vectors(const struct blas_places *places,
                          const struct pinsight_blas_frame *frame) {
    return (places->job[0] >= 0 && letter(frame, places->job[0]) != 'N') ||
           (places->job[1] >= 0 && letter(frame, places->job[1]) != 'N');
}

/* Reads the first letter of C's array of them. */
INLINE unsigned first_c_letter(const struct pinsight_blas_frame *frame, int place) {
    const unsigned *letters = (const unsigned *)word(frame, place);

    return letters ? *letters : 0;
}

/* Other values than the known ones are none: the library refuses them. */
INLINE uint8_t transposition(const struct blas_places *places,
                             const struct pinsight_blas_frame *frame, int place) {
    if (place < 0)
        return PINSIGHT_BLAS_TRANS_NONE;
    if (places->is_c) {
        unsigned letter_of_c =
            places->groups >= 0 ? first_c_letter(frame, place) : (unsigned)word(frame, place);
        unsigned number = letter_of_c - C_AS_IT_IS;
        return number <= C_CONJUGATED - C_AS_IT_IS ? (uint8_t)(number + PINSIGHT_BLAS_TRANS_N)
                                                   : PINSIGHT_BLAS_TRANS_NONE;
    }
    switch (letter(frame, place)) {
    case 'N':
        return PINSIGHT_BLAS_TRANS_N;
    case 'T':
        return PINSIGHT_BLAS_TRANS_T;
    case 'C':
        return PINSIGHT_BLAS_TRANS_C;
    default:
        return PINSIGHT_BLAS_TRANS_NONE;
    }
}

/* Reads the number of products, and of groups that differ in size the multiplications. */
INLINE void read_groups(const struct blas_places *places, const struct pinsight_blas_frame *frame,
                        int64_t groups, struct pinsight_record_blas_blas_begin *event) {
    bool differ = false;

    event->batch = event->multiplications = 0;
    for (int64_t group = 0; group < groups; group++) {
        int64_t products = element(places, frame, places->batch, group);
        int64_t m = element(places, frame, places->m, group);
        int64_t n = element(places, frame, places->n, group);
        int64_t k = element(places, frame, places->k, group);

        if (products <= 0 || m < 0 || n < 0 || k < 0)
            continue;
        differ |= (uint64_t)m != event->m || (uint64_t)n != event->n || (uint64_t)k != event->k;
        event->batch += (uint64_t)products;
        event->multiplications += (uint64_t)products * (uint64_t)m * (uint64_t)n * (uint64_t)k;
    }
    if (!differ)
        event->multiplications = 0;
}

INLINE bool read_call(const struct blas_places *places, const struct pinsight_blas_frame *frame,
                      struct pinsight_record_blas_blas_begin *event) {
    int64_t groups = integer(places, frame, places->groups);

    if (places->lwork >= 0 && integer(places, frame, places->lwork) == -1)
        return false;
    if (places->groups >= 0 && groups <= 0) { /* the arrays may be empty */
        *event = (struct pinsight_record_blas_blas_begin){0};
        return true;
    }
    event->m = size(places, frame, places->m);
    event->n = size(places, frame, places->n);
    event->k = places->side >= 0     ? is_left(places, frame) ? event->m : event->n
               : places->job[0] >= 0 ? wants_vectors(places, frame) ? event->n : 0
                                     : size(places, frame, places->k);
    event->order = places->order >= 0 && (int)word(frame, places->order) == C_ROWS
                       ? PINSIGHT_BLAS_ORDER_ROWS
                       : PINSIGHT_BLAS_ORDER_COLUMNS;
    event->transa = transposition(places, frame, places->transa);
    event->transb = transposition(places, frame, places->transb);
    event->lda = integer(places, frame, places->lda);
    event->ldb = integer(places, frame, places->ldb);
    event->ldc = integer(places, frame, places->ldc);
    event->batch = places->batch >= 0 ? size(places, frame, places->batch) : 1;
    event->multiplications = 0;
    if (places->groups >= 0)
        read_groups(places, frame, groups, event);
    return true;
}

/* ---- the readers ---- */

#define READER(number, ...)                                                                        \
    static bool reader_##number(const struct pinsight_blas_frame *frame,                           \
                                struct pinsight_record_blas_blas_begin *event) {                   \
        return read_call(&(const struct blas_places){__VA_ARGS__}, frame, event);                  \
    }
#include "blas/readers.inc"
#undef READER

static pinsight_blas_reader *const readers[] = {
#define READER(number, ...) reader_##number,
#include "blas/readers.inc"
};

static const struct blas_function {
    uint16_t shape, reader;
} functions[PINSIGHT_BLAS_FUNCTIONS] = {
#include "blas/functions.inc"
};

const struct pinsight_blas_shape *pinsight_blas_shape_of(unsigned function) {
    return &shapes[functions[function].shape];
}

pinsight_blas_reader *pinsight_blas_reader_of(unsigned function) {
    return readers[functions[function].reader];
}
