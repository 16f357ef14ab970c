/* The driver's calls and their arguments; see driver_calls.h. */
#include "tracer/cuda/driver_calls.h"

#include "describe/cuda_kinds.h"
#include "tracer/record/cuda_types.h"

#include <string.h>

const struct pinsight_cuda_driver_call pinsight_cuda_driver_calls[] = {
#define CALL(number, name, function, form, first, second, bytes, times, stream, per_thread)        \
    {                                                                                              \
        number,                                                                                    \
        PINSIGHT_CUDA_##function,                                                                  \
        PINSIGHT_CUDA_##form,                                                                      \
        first,                                                                                     \
        second,                                                                                    \
        bytes,                                                                                     \
        times,                                                                                     \
        stream,                                                                                    \
        per_thread},
#include "tracer/cuda/driver_calls.def"
#undef CALL
};
const unsigned pinsight_cuda_driver_call_count =
    sizeof pinsight_cuda_driver_calls / sizeof *pinsight_cuda_driver_calls;

const uint8_t pinsight_cuda_function_kinds[] = {
#define FUNCTION(name, kind, event) PINSIGHT_CUDA_KIND_##kind,
    PINSIGHT_CUDA_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

const char *const pinsight_cuda_function_names[] = {
#define FUNCTION(name, kind, event) #event,
    PINSIGHT_CUDA_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* The used parts of CUlaunchConfig, CUDA_MEMCPY2D and CUDA_MEMCPY3D (cuda.h). */
struct launch_config {
    uint32_t grid[3], block[3], shared_bytes;
    void *stream;
};

/* One side of a copy. CUmemorytype: 1 is the host, 2 a device, 3 an array, 4 either. */
struct side_2d {
    uint64_t x, y;
    uint32_t type;
    uint64_t host, device, array, pitch;
};
struct copy_2d {
    struct side_2d source, destination;
    uint64_t width, height;
};
struct side_3d {
    uint64_t x, y, z, level;
    uint32_t type;
    uint64_t host, device, array, reserved, pitch, height;
};
struct copy_3d {
    struct side_3d source, destination;
    uint64_t width, height, depth;
};

static uint64_t word(const uint64_t *params, int8_t index) {
    return index < 0 ? 0 : params[index];
}

static const void *pointer(const uint64_t *params, int8_t index) {
    return (const void *)(uintptr_t)word(params, index);
}

static uint64_t address(uint32_t type, uint64_t host, uint64_t device, uint64_t array) {
    return type == 1 ? host : type == 3 ? array : device;
}

static uint8_t kind_between(uint32_t source, uint32_t destination) {
    if (source == 4 || destination == 4)
        return PINSIGHT_CUDA_MEMCPY_KIND_DEFAULT;
    if (source == 1)
        return destination == 1 ? PINSIGHT_CUDA_MEMCPY_KIND_HOST_TO_HOST
                                : PINSIGHT_CUDA_MEMCPY_KIND_HOST_TO_DEVICE;
    return destination == 1 ? PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_HOST
                            : PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_DEVICE;
}

static void read_2d(const struct copy_2d *copy, struct pinsight_cuda_arguments *out) {
    const struct side_2d *from = &copy->source, *to = &copy->destination;
    out->first = address(to->type, to->host, to->device, to->array);
    out->second = address(from->type, from->host, from->device, from->array);
    out->bytes = copy->width * copy->height;
    out->kind = kind_between(from->type, to->type);
}

static void read_3d(const struct copy_3d *copy, struct pinsight_cuda_arguments *out) {
    const struct side_3d *from = &copy->source, *to = &copy->destination;
    out->first = address(to->type, to->host, to->device, to->array);
    out->second = address(from->type, from->host, from->device, from->array);
    out->bytes = copy->width * copy->height * copy->depth;
    out->kind = kind_between(from->type, to->type);
}

static void read_launch(const uint32_t *shape, struct pinsight_cuda_arguments *out) {
    memcpy(out->grid, shape, sizeof out->grid);
    memcpy(out->block, shape + 3, sizeof out->block);
    out->shared_bytes = shape[6];
}

static void read_set(const uint64_t *params, const struct pinsight_cuda_driver_call *call,
                     unsigned size, struct pinsight_cuda_arguments *out) {
    uint64_t value = word(params, call->second);
    out->value = (uint32_t)(size == 4 ? value : value & ((1u << 8 * size) - 1));
    out->bytes *= size;
}

static void read_copy(const uint64_t *params, const struct pinsight_cuda_driver_call *call,
                      struct pinsight_cuda_arguments *out) {
    const uint64_t *sizes;
    switch (call->form) {
    case PINSIGHT_CUDA_COPY_TO:
        out->kind = PINSIGHT_CUDA_MEMCPY_KIND_HOST_TO_DEVICE;
        break;
    case PINSIGHT_CUDA_COPY_FROM:
        out->kind = PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_HOST;
        break;
    case PINSIGHT_CUDA_COPY_ON:
        out->kind = PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_DEVICE;
        break;
    case PINSIGHT_CUDA_COPY_2D:
        if (out->first)
            read_2d(pointer(params, call->first), out);
        break;
    case PINSIGHT_CUDA_COPY_3D:
        if (out->first)
            read_3d(pointer(params, call->first), out);
        break;
    case PINSIGHT_CUDA_COPY_BATCH:
        sizes = pointer(params, call->first);
        out->first = out->bytes = 0;
        for (uint64_t i = 0; sizes && i < word(params, call->times); i++)
            out->bytes += sizes[i];
        break;
    default:
        break;
    }
}

void pinsight_cuda_read_arguments(const struct pinsight_cuda_driver_call *call,
                                  const uint64_t *params, struct pinsight_cuda_arguments *out) {
    const struct launch_config *config;
    *out = (struct pinsight_cuda_arguments){
        .first = word(params, call->first),
        .second = word(params, call->second),
        .bytes = word(params, call->bytes),
        .stream = (void *)(uintptr_t)word(params, call->stream),
        .kind = PINSIGHT_CUDA_MEMCPY_KIND_DEFAULT,
    };
    switch (call->form) {
    case PINSIGHT_CUDA_LAUNCH:
        read_launch((const uint32_t *)(params + 1), out);
        break;
    case PINSIGHT_CUDA_LAUNCH_CONFIG:
        config = pointer(params, call->first);
        if (config) {
            read_launch(config->grid, out);
            out->stream = config->stream;
        }
        break;
    case PINSIGHT_CUDA_SET_8:
    case PINSIGHT_CUDA_SET_16:
    case PINSIGHT_CUDA_SET_32:
        if (call->times >= 0)
            out->bytes *= word(params, call->times);
        read_set(params, call, 1u << (call->form - PINSIGHT_CUDA_SET_8), out);
        break;
    case PINSIGHT_CUDA_TAKE:
        if (call->times >= 0)
            out->bytes *= word(params, call->times);
        break;
    default:
        read_copy(params, call, out);
    }
}
