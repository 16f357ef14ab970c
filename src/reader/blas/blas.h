/* The sizes of calls of BLAS and their floating-point operations, beside the sums of the calls
 * (reader/kit/calls.h). Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_BLAS_H
#define PINSIGHT_READER_BLAS_H

#include "reader/kit/calls.h"

/* Sizes of a call; which of them there are depends on the routine. */
struct pinsight_blas_size {
    uint64_t m, n, k;
};

/* All calls of one site with the same sizes. */
struct pinsight_blas_sum {
    uint32_t site, size; /* size is PINSIGHT_NONE for calls past the limit of sizes */
    uint64_t calls, total_ns;
    double operations;
};

struct pinsight_blas {
    struct pinsight_blas_size *sizes;
    size_t size_count, size_capacity;
    struct pinsight_blas_sum *sums;
    size_t sum_count, sum_capacity;
    /* A call that began: its size and its operations; slices have its number. */
    struct pinsight_blas_work {
        uint32_t size;
        double operations;
    } * works;
    size_t work_count, work_capacity;
    struct pinsight_map numbers, size_map, work_map, sum_map;
};

/* NULL without. */
static inline const struct pinsight_blas *pinsight_model_blas(const struct pinsight_model *model) {
    const struct reader_calls *calls = reader_calls_of(model, READER_BLAS);

    return calls ? calls->own : NULL;
}

/* Returns the sizes of a slice, or NULL if they are not known. */
const struct pinsight_blas_size *pinsight_blas_size_of(const struct pinsight_model *model,
                                                       const struct pinsight_slice *slice);

/* Writes a routine's name, "dgemm", from the numbers in an event. Returns false if either is not
 * known; the text is "?" then. */
#define PINSIGHT_BLAS_NAME_ROOM 16
bool pinsight_blas_name(unsigned routine, unsigned type, char text[PINSIGHT_BLAS_NAME_ROOM]);

/* Returns the number of floating-point operations of a call; 0 for an unknown routine. */
double pinsight_blas_operations(unsigned routine, unsigned type,
                                const struct pinsight_blas_size *size);

#endif
