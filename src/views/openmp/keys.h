/* Keys of OpenMP's rows. Functions, paths and places of different processes share a key if they are
 * equal. */
#ifndef PINSIGHT_VIEWS_OPENMP_KEYS_H
#define PINSIGHT_VIEWS_OPENMP_KEYS_H

#include "views/openmp/openmp.h"

/* All zero but the model is empty. Not thread-safe. */
struct pinsight_omp_keys {
    const struct pinsight_model *model;
    struct pinsight_map functions, paths, natives;
    uint32_t function_count, path_count, native_count;
};

void pinsight_omp_keys_clear(struct pinsight_omp_keys *keys);

/* Returns the number of a key of three parts. Numbers count in order of appearance. */
uint32_t pinsight_omp_key(struct pinsight_map *map, uint32_t a, uint32_t b, uint32_t c,
                          uint32_t *count);

/* Return the number of a function, path or place. PINSIGHT_NONE has the number PINSIGHT_NONE. */
uint32_t pinsight_omp_function_key(struct pinsight_omp_keys *keys, uint32_t function);
uint32_t pinsight_omp_path_key(struct pinsight_omp_keys *keys, uint32_t path);
uint32_t pinsight_omp_native_key(struct pinsight_omp_keys *keys, uint32_t native);

/* Makes the rows of functions, sorted. */
void pinsight_omp_functions_make(const struct pinsight_report *report,
                                 struct pinsight_omp_view *view, struct pinsight_omp_keys *keys);

#endif
