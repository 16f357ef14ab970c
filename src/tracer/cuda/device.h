/* Devices, for the event device_info. */
#ifndef PINSIGHT_CUDA_DEVICE_H
#define PINSIGHT_CUDA_DEVICE_H

#include "tracer/core/inline.h"
#include "tracer/core/process.h"

#include <stdatomic.h>
#include <stdint.h>

/* The most devices that are described. */
#define PINSIGHT_CUDA_DEVICES 64

extern _Atomic uint32_t pinsight_cuda_devices_defined[PINSIGHT_CUDA_DEVICES];

/* Records device_info. Slow path; any thread. */
void pinsight_cuda_device_describe(uint32_t device) PINSIGHT_COLD;

/* Records device_info, unless this session has it. */
static inline void pinsight_cuda_device_define(uint32_t device) {
    if (device < PINSIGHT_CUDA_DEVICES &&
        PINSIGHT_UNLIKELY(atomic_load_explicit(&pinsight_cuda_devices_defined[device],
                                               memory_order_relaxed) != pinsight_session_version()))
        pinsight_cuda_device_describe(device);
}

#endif
