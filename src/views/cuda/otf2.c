/* CUDA in OTF2. */
#include "views/export/otf2.h"

#include "reader/cuda/cuda.h"

#include <string.h>

static OTF2_RegionRole role_of_call(const struct pinsight_model *model, uint32_t function) {
    const char *name = pinsight_strings_text(&model->strings,
                                             pinsight_model_cuda(model)->functions[function].name);

    if (!strcmp(name, "cudaMalloc"))
        return OTF2_REGION_ROLE_ALLOCATE;
    if (!strcmp(name, "cudaFree"))
        return OTF2_REGION_ROLE_DEALLOCATE;
    return pinsight_model_cuda(model)->functions[function].role == PINSIGHT_CUDA_COPIES
               ? OTF2_REGION_ROLE_DATA_TRANSFER
               : OTF2_REGION_ROLE_FUNCTION;
}

static OTF2_RegionRole role_of_work(const struct pinsight_model *model, uint32_t work) {
    return pinsight_model_cuda(model)->works[work].type == PINSIGHT_CUDA_COPY
               ? OTF2_REGION_ROLE_DATA_TRANSFER
               : OTF2_REGION_ROLE_FUNCTION;
}

const struct otf2_domain otf2_domain_cuda = {
    .paradigm = OTF2_PARADIGM_CUDA,
    .kinds = {[PINSIGHT_SLICE_DEVICE_CALL] = {.about = "call of CUDA by the program",
                                              .group = "CUDA calls",
                                              .role_of = role_of_call},
              [PINSIGHT_SLICE_WORK] = {.about = "work of a device",
                                       .group = "CUDA devices",
                                       .role_of = role_of_work}},
    .streams = "CUDA streams",
};
