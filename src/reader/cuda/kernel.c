/* Kernels and graphs, as kinds of work, by the numbers that events have for them. */
#include "reader/cuda/state.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint32_t pinsight_cuda_kernel(struct pinsight_process *process, uint32_t number) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(process->model);
    struct pinsight_numbers *kernels = &pinsight_cuda_process_of(process)->kernels;
    uint32_t work = pinsight_numbers_get(kernels, number);
    char name[32];
    int length;

    if (work != PINSIGHT_MAP_NONE)
        return work;
    work = (uint32_t)cuda->work_count;
    length = snprintf(name, sizeof(name), "kernel %" PRIu32, number);
    *PINSIGHT_ADD(cuda->works, cuda->work_count, cuda->work_capacity) = (struct pinsight_cuda_work){
        .name = pinsight_strings_add(&process->model->strings, name, (size_t)length),
        .same = work,
        .type = PINSIGHT_CUDA_KERNEL,
        .direction = PINSIGHT_CUDA_ELSEWHERE,
        .unnamed = true};
    pinsight_numbers_set(kernels, number, work);
    return work;
}

/* What was counted of a kernel before its name came belongs to the kind that has the name. */
static void join(struct pinsight_cuda *cuda, uint32_t unnamed, uint32_t work) {
    struct pinsight_cuda_work *from = &cuda->works[unnamed], *to = &cuda->works[work];

    if (from->count)
        pinsight_extremes_add(&to->min_ns, &to->max_ns, !to->count, from->min_ns, from->max_ns);
    to->count += from->count;
    to->total_ns += from->total_ns;
    *from = (struct pinsight_cuda_work){
        .name = to->name, .same = work, .type = to->type, .direction = to->direction};
}

void pinsight_cuda_kernel_info(struct pinsight_process *process, uint32_t number,
                               const char *name) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(process->model);
    struct pinsight_numbers *kernels = &pinsight_cuda_process_of(process)->kernels;
    uint32_t known = pinsight_numbers_get(kernels, number);
    uint32_t work =
        pinsight_cuda_work(process->model, PINSIGHT_CUDA_KERNEL, name, PINSIGHT_CUDA_ELSEWHERE);

    if (known != PINSIGHT_MAP_NONE && cuda->works[known].unnamed)
        join(cuda, known, work);
    pinsight_numbers_set(kernels, number, work);
}

uint32_t pinsight_cuda_graph(struct pinsight_model *model, uint32_t number) {
    char name[32];

    snprintf(name, sizeof(name), "graph %" PRIu32, number);
    return pinsight_cuda_work(model, PINSIGHT_CUDA_GRAPH, name, PINSIGHT_CUDA_ELSEWHERE);
}
