/* Devices, from the descriptions of processes. A device has a number in each process that uses it,
 * and a UUID, which is unique. */
#include "reader/cuda/state.h"

#include "base/memory.h"

#include <string.h>

uint32_t pinsight_cuda_known_string(struct pinsight_model *model, const char *text) {
    if (!strcmp(text, "?"))
        text = "";
    return pinsight_strings_add(&model->strings, text, strlen(text));
}

void pinsight_cuda_device_info(struct pinsight_process *process, uint32_t number,
                               const struct pinsight_cuda_device_info *told) {
    struct pinsight_cuda *cuda = pinsight_cuda_of(process->model);
    uint32_t info = pinsight_map_number(&cuda->device_info_map, process->index, number, 0,
                                        cuda->device_info_count);

    if (info == cuda->device_info_count)
        (void)PINSIGHT_ADD(cuda->device_infos, cuda->device_info_count, cuda->device_info_capacity);
    cuda->device_infos[info] = *told;
}

uint32_t pinsight_cuda_device_of(const struct pinsight_process *process, uint32_t number) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(process->model);
    uint32_t at = pinsight_map_get(&cuda->device_info_map, process->index, number, 0);
    struct pinsight_cuda_device_info info = {0};
    uint32_t device;

    if (at != PINSIGHT_MAP_NONE)
        info = cuda->device_infos[at];
    /* Without a UUID, equal numbers in a host's processes count as one device. */
    device =
        info.uuid
            ? pinsight_map_number(&cuda->device_map, UINT32_MAX, info.uuid, 1, cuda->device_count)
            : pinsight_map_number(&cuda->device_map, process->host, number, 0, cuda->device_count);
    if (device == cuda->device_count)
        *PINSIGHT_ADD(cuda->devices, cuda->device_count, cuda->device_capacity) =
            (struct pinsight_cuda_device){
                .process = process->index, .number = number, .info = info};
    return device;
}
