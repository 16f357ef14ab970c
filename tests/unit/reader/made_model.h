/* What fixtures of the reader's tests have in common. */
#ifndef PINSIGHT_TEST_MADE_MODEL_H
#define PINSIGHT_TEST_MADE_MODEL_H

#include "reader/cuda/cuda.h"
#include "reader/model.h"
#include "reader/openmp/openmp.h"

#include <stdlib.h>

/* A model of everything, which the caller frees. */
static inline struct pinsight_model *made_model(void) {
    return pinsight_model_new(&(struct pinsight_model_options){.thread = -1, .process = -1});
}

/* Frees a fixture that is no more than a model, which is its first member, and what needs no
 * freeing. */
static inline int free_with_model(void **state) {
    pinsight_model_free(*(struct pinsight_model **)*state);
    free(*state);
    return 0;
}

/* A device has worked: a record of it came at ns. */
static inline void made_work(struct pinsight_process *process, uint32_t work, uint32_t stream,
                             uint32_t correlation, uint64_t from, uint64_t to, uint64_t ns) {
    pinsight_cuda_worked(process,
                         &(struct pinsight_cuda_record){.context = 1,
                                                        .stream = stream,
                                                        .correlation = correlation,
                                                        .from_ns = from,
                                                        .to_ns = to,
                                                        .work = work},
                         ns);
}

/* A thread begins a part of a region, or ends it. */
static inline void part_edge(struct pinsight_omp_thread *thread, bool begins, uint64_t id,
                             uint32_t number, uint64_t ns) {
    if (begins)
        pinsight_omp_part_begin(thread, id, 70 + id, number, 3, ns);
    else
        pinsight_omp_part_end(thread, id, ns);
}

#endif
