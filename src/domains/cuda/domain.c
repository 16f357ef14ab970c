/* The CUDA domain as a whole: the driver starts it in cuInit(), by CUDA_INJECTION64_PATH. */
#include "core/calls.h"
#include "describe/cuda.h"
#include "record/cuda.h"

/* Called by the driver when it starts. Returns 1, as the driver has it. */
PINSIGHT_API int InitializeInjection(void);
int InitializeInjection(void) {
    return 1;
}
