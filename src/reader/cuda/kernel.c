/* Kernels and graphs as kinds of work, by their numbers in events. */
#include "reader/cuda/state.h"

#include "base/memory.h"
#include "reader/kit/cxx_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t pinsight_cuda_kernel(struct pinsight_process *process, uint32_t number) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(process->model);
    struct pinsight_numbers *kernels = &pinsight_cuda_process_of(process)->kernels;
    uint32_t work = pinsight_numbers_get(kernels, number);
    char text[32];
    uint32_t name;

    if (work != PINSIGHT_MAP_NONE)
        return work;
    work = (uint32_t)cuda->work_count;
    snprintf(text, sizeof(text), "kernel %" PRIu32, number);
    name = pinsight_strings_add(&process->model->strings, text, strlen(text));
    *PINSIGHT_ADD(cuda->works, cuda->work_count, cuda->work_capacity) =
        (struct pinsight_cuda_work){.name = name,
                                    .shown = name,
                                    .same = work,
                                    .type = PINSIGHT_CUDA_KERNEL,
                                    .direction = PINSIGHT_CUDA_ELSEWHERE,
                                    .unnamed = true};
    pinsight_numbers_set(kernels, number, work);
    return work;
}

/* Adds the sums of a kernel from before its name came to the kind with the name. */
static void join(struct pinsight_cuda *cuda, uint32_t unnamed, uint32_t work) {
    struct pinsight_cuda_work *from = &cuda->works[unnamed], *to = &cuda->works[work];

    if (from->count)
        pinsight_extremes_add(&to->min_ns, &to->max_ns, !to->count, from->min_ns, from->max_ns);
    to->count += from->count;
    to->total_ns += from->total_ns;
    *from = (struct pinsight_cuda_work){.name = to->name,
                                        .shown = to->shown,
                                        .same = work,
                                        .type = to->type,
                                        .direction = to->direction};
}

/* Longer names are shown unchanged. */
#define LONGEST 65536

/* Returns the kind of work of a kernel with a name, which may be mangled. */
static uint32_t named(struct pinsight_model *model, const char *name) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(model);
    uint32_t text = pinsight_strings_add(&model->strings, name, strlen(name));
    uint32_t work = pinsight_map_get(&cuda->kernel_map, text, 0, 0);
    char *full, *shown;

    if (work != PINSIGHT_MAP_NONE)
        return work;
    full = pinsight_cxx_demangle(name, &cuda->names_left);
    if (full && strlen(full) <= LONGEST)
        name = full;
    shown = pinsight_cxx_short(name);
    work = pinsight_cuda_work(model, PINSIGHT_CUDA_KERNEL, name, PINSIGHT_CUDA_ELSEWHERE);
    cuda->works[work].shown = pinsight_strings_add(&model->strings, shown, strlen(shown));
    pinsight_map_set(&cuda->kernel_map, text, 0, 0, work);
    free(shown);
    free(full);
    return work;
}

void pinsight_cuda_kernel_info(struct pinsight_process *process, uint32_t number,
                               const char *name) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(process->model);
    struct pinsight_numbers *kernels = &pinsight_cuda_process_of(process)->kernels;
    uint32_t known = pinsight_numbers_get(kernels, number);
    uint32_t work = named(process->model, name);

    if (known != PINSIGHT_MAP_NONE && cuda->works[known].unnamed)
        join(cuda, known, work);
    pinsight_numbers_set(kernels, number, work);
}

uint32_t pinsight_cuda_graph(struct pinsight_model *model, uint32_t number) {
    char name[32];

    snprintf(name, sizeof(name), "graph %" PRIu32, number);
    return pinsight_cuda_work(model, PINSIGHT_CUDA_GRAPH, name, PINSIGHT_CUDA_ELSEWHERE);
}
