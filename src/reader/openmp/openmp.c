/* Sums of regions, and the state of OpenMP in a model and a thread. */
#include "reader/openmp/openmp.h"

#include "base/memory.h"
#include "reader/openmp/team.h"

#include <stdlib.h>

/* With more regions than this, the sums of a further region go to its place, without a path. With
 * twice as many, they go to one region for all. */
#define MOST_REGIONS (1u << 18)

struct pinsight_openmp *pinsight_openmp_of(struct pinsight_model *model) {
    if (!pinsight_model_openmp(model)) {
        model->state[READER_OPENMP] = pinsight_calloc(1, sizeof(*pinsight_model_openmp(model)));
        pinsight_model_openmp(model)->free_instance = PINSIGHT_NONE;
    }
    return pinsight_model_openmp(model);
}

void pinsight_openmp_free(struct pinsight_model *model) {
    struct pinsight_openmp *openmp = pinsight_model_openmp(model);

    if (!openmp)
        return;
    for (size_t i = 0; i < openmp->region_count; i++)
        free(openmp->regions[i].thread_work_ns);
    for (size_t i = 0; i < openmp->instance_count; i++)
        free(openmp->instances[i].members);
    pinsight_map_clear(&openmp->count_map);
    pinsight_map_clear(&openmp->region_map);
    PINSIGHT_FREE(openmp->regions, openmp->counts, openmp->instances, openmp->buckets, openmp);
}

struct pinsight_omp_thread *pinsight_omp_thread_of(struct pinsight_thread *thread,
                                                   struct pinsight_process *process) {
    struct pinsight_omp_thread *openmp = pinsight_thread_openmp(thread);

    if (openmp)
        return openmp;
    openmp = thread->state[READER_OPENMP] = pinsight_calloc(1, sizeof(*openmp));
    openmp->thread = thread;
    openmp->process = process;
    return openmp;
}

void pinsight_omp_thread_free(struct pinsight_thread *thread) {
    struct pinsight_omp_thread *own = pinsight_thread_openmp(thread);

    if (!own)
        return;
    PINSIGHT_FREE(own->scopes, own->levels, own);
}

struct pinsight_omp_region *pinsight_omp_region_of(struct pinsight_model *model, uint32_t native,
                                                   uint32_t path, enum pinsight_omp_kind kind) {
    struct pinsight_openmp *openmp = pinsight_openmp_of(model);

    if (openmp->region_count >= MOST_REGIONS)
        path = PINSIGHT_NONE;
    if (openmp->region_count >= 2 * MOST_REGIONS)
        native = PINSIGHT_NONE;
    return PINSIGHT_KEYED(&openmp->region_map, native, path, (uint32_t)kind, openmp->regions,
                          openmp->region_count, openmp->region_capacity, .native = native,
                          .path = path, .kind = (uint8_t)kind);
}

void pinsight_omp_count(struct pinsight_thread *thread, uint32_t native,
                        const struct pinsight_monitored *counted) {
    struct pinsight_process *process = thread->process;
    struct pinsight_openmp *openmp = pinsight_openmp_of(process->model);
    uint32_t region = (uint32_t)(pinsight_omp_region_of(process->model, native, PINSIGHT_NONE,
                                                        PINSIGHT_OMP_PARALLEL) -
                                 openmp->regions);
    uint32_t count = pinsight_map_number(&openmp->count_map, region, process->index, thread->tid,
                                         openmp->count_count);

    if (count == openmp->count_count) {
        *PINSIGHT_ADD(openmp->counts, openmp->count_count, openmp->count_capacity) =
            (struct pinsight_omp_count){.process = process->index,
                                        .before = openmp->regions[region].last_count};
        openmp->regions[region].last_count = count + 1;
    }
    pinsight_monitored_add(&openmp->counts[count].counted, counted);
}
