/* The sizes of calls of BLAS and their floating-point operations, beside the sums of the calls
 * (reader/kit/calls.h). Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_BLAS_H
#define PINSIGHT_READER_BLAS_H

#include "reader/kit/calls.h"

/* Sizes of a call; which of m, n and k there are depends on the routine. */
struct pinsight_blas_size {
    uint64_t m, n, k;
    uint64_t batch; /* products of this size; 1 for a routine without batches */
    /* Of a batch whose products differ in size: the sum of their m × n × k; m, n and k are those of
     * the first ones. Else 0. */
    uint64_t multiplications;
};

/* The operands of a call in memory, and the means that it had. The numbers are those of events. */
struct pinsight_blas_how {
    uint8_t order, transa, transb;
    int64_t lda, ldb, ldc;
    uint32_t library; /* in `libraries`; PINSIGHT_NONE if it is not known */
    uint32_t threads; /* 0 if they are not known */
};

/* A library that was called. */
struct pinsight_blas_library {
    uint32_t path; /* in the model's strings */
    bool left_out; /* calls of a process were not recorded */
};

/* All calls of one site with the same sizes and means, either within other calls or not. */
struct pinsight_blas_sum {
    uint32_t site, size, how; /* PINSIGHT_NONE for calls past the limit of sizes */
    uint8_t routine;
    bool is_nested; /* within another recorded call, whose time and operations contain theirs */
    uint64_t calls, total_ns;
    uint64_t self_ns; /* without calls within them */
    double operations;
};

struct pinsight_blas {
    struct pinsight_blas_size *sizes;
    size_t size_count, size_capacity;
    struct pinsight_blas_sum *sums;
    size_t sum_count, sum_capacity;
    struct pinsight_blas_how *hows;
    size_t how_count, how_capacity;
    struct pinsight_blas_library *libraries; /* of all processes, by their paths */
    size_t library_count, library_capacity;
    /* A call that began: its size, its means and its operations; slices have its number. */
    struct pinsight_blas_work {
        uint32_t size, how;
        uint8_t routine;
        double operations;
    } * works;
    size_t work_count, work_capacity;
    struct pinsight_map numbers, shape_map, size_map, distance_map, how_map, work_map, sum_map;
    struct pinsight_map library_map, library_numbers; /* by path; by process and number */
};

/* NULL without. */
static inline const struct pinsight_blas *pinsight_model_blas(const struct pinsight_model *model) {
    const struct reader_calls *calls = reader_calls_of(model, READER_BLAS);

    return calls ? calls->own : NULL;
}

/* Return the sizes of a slice, and its means. Return NULL if they are not known. */
const struct pinsight_blas_size *pinsight_blas_size_of(const struct pinsight_model *model,
                                                       const struct pinsight_slice *slice);
const struct pinsight_blas_how *pinsight_blas_how_of(const struct pinsight_model *model,
                                                     const struct pinsight_slice *slice);

/* Returns whether an operand is transposed. */
bool pinsight_blas_is_transposed(const struct pinsight_blas_how *how);

/* Returns whether a vector of a routine of BLAS 1 or 2 has elements that are no neighbours. */
bool pinsight_blas_is_strided(unsigned routine, const struct pinsight_blas_how *how);

/* The kinds of routines. */
enum pinsight_blas_level {
    PINSIGHT_BLAS_LEVEL1,
    PINSIGHT_BLAS_LEVEL2,
    PINSIGHT_BLAS_LEVEL3,
    PINSIGHT_BLAS_LAPACK,
};

/* Returns the kind of a routine; LAPACK for an unknown one. */
enum pinsight_blas_level pinsight_blas_level_of(unsigned routine);

/* Writes a routine's name, "dgemm", from the numbers in an event. Returns false if either is not
 * known; the text is "?" then. */
#define PINSIGHT_BLAS_NAME_ROOM 24
bool pinsight_blas_name(unsigned routine, unsigned type, char text[PINSIGHT_BLAS_NAME_ROOM]);

/* Returns the number of floating-point operations of a call; 0 for an unknown routine. */
double pinsight_blas_operations(unsigned routine, unsigned type,
                                const struct pinsight_blas_size *size);

#endif
