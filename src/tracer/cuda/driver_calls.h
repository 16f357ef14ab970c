/* The observed calls of the driver (driver_calls.def), and their arguments. */
#ifndef PINSIGHT_CUDA_DRIVER_CALLS_H
#define PINSIGHT_CUDA_DRIVER_CALLS_H

#include "tracer/cuda/cupti_abi.h"

#include <stdbool.h>
#include <stdint.h>

/* CUPTI's numbers of callbacks are less than this. */
#define PINSIGHT_CUDA_CALLBACKS 1024

/* F(NAME, kind of events, event's name): the functions that the trace distinguishes. The end event
 * of a function that allocates memory has its address. */
#define PINSIGHT_CUDA_FUNCTIONS(F)                                                                 \
    PINSIGHT_CUDA_OTHER_FUNCTIONS(F) PINSIGHT_CUDA_TAKING_FUNCTIONS(F)
#define PINSIGHT_CUDA_TAKING_FUNCTIONS(F)                                                          \
    F(MALLOC, MEMORY, cudaMalloc)                                                                  \
    F(MALLOC_ASYNC, MEMORY, cudaMallocAsync)
#define PINSIGHT_CUDA_OTHER_FUNCTIONS(F)                                                           \
    F(KERNEL_LAUNCH, LAUNCH, cudaKernelLaunch)                                                     \
    F(GRAPH_LAUNCH, LAUNCH, cudaGraphLaunch)                                                       \
    F(LAUNCH_HOST_FUNC, LAUNCH, cudaLaunchHostFunc)                                                \
    F(MEMCPY, COPY, cudaMemcpy)                                                                    \
    F(MEMCPY_ASYNC, COPY, cudaMemcpyAsync)                                                         \
    F(MEM_PREFETCH, COPY, cudaMemPrefetch)                                                         \
    F(MEMSET, SET, cudaMemset)                                                                     \
    F(MEMSET_ASYNC, SET, cudaMemsetAsync)                                                          \
    F(FREE, MEMORY, cudaFree)                                                                      \
    F(FREE_ASYNC, MEMORY, cudaFreeAsync)                                                           \
    F(MALLOC_HOST, MEMORY, cudaMallocHost)                                                         \
    F(FREE_HOST, MEMORY, cudaFreeHost)                                                             \
    F(DEVICE_SYNC, SYNC, cudaDeviceSync)                                                           \
    F(STREAM_SYNC, SYNC, cudaStreamSync)                                                           \
    F(EVENT_SYNC, SYNC, cudaEventSync)                                                             \
    F(EVENT_RECORD, EVENT, cudaEventRecord)                                                        \
    F(STREAM_WAIT_EVENT, EVENT, cudaStreamWaitEvent)                                               \
    F(EVENT_CREATE, EVENT, cudaEventCreate)                                                        \
    F(EVENT_DESTROY, EVENT, cudaEventDestroy)                                                      \
    F(EVENT_QUERY, EVENT, cudaEventQuery)                                                          \
    F(STREAM_CREATE, STREAM, cudaStreamCreate)                                                     \
    F(STREAM_DESTROY, STREAM, cudaStreamDestroy)                                                   \
    F(STREAM_QUERY, STREAM, cudaStreamQuery)                                                       \
    F(STREAM_BEGIN_CAPTURE, GRAPH, cudaStreamBeginCapture)                                         \
    F(STREAM_END_CAPTURE, GRAPH, cudaStreamEndCapture)                                             \
    F(GRAPH_INSTANTIATE, GRAPH, cudaGraphInstantiate)                                              \
    F(MODULE_LOAD, MODULE, cudaModuleLoad)                                                         \
    F(MODULE_UNLOAD, MODULE, cudaModuleUnload)

enum pinsight_cuda_observed {
#define FUNCTION(name, kind, event) PINSIGHT_CUDA_##name,
    PINSIGHT_CUDA_FUNCTIONS(FUNCTION)
#undef FUNCTION
        PINSIGHT_CUDA_FUNCTION_COUNT
};

/* The way to read the arguments. */
enum pinsight_cuda_form {
    PINSIGHT_CUDA_PLAIN,         /* no further arguments */
    PINSIGHT_CUDA_LAUNCH,        /* function; grid, block and shared memory, four bytes each */
    PINSIGHT_CUDA_LAUNCH_CONFIG, /* pointer to a CUlaunchConfig, which has these and the stream */
    PINSIGHT_CUDA_COPY_TO,       /* copies: first is the destination, second the source */
    PINSIGHT_CUDA_COPY_FROM,
    PINSIGHT_CUDA_COPY_ON,
    PINSIGHT_CUDA_COPY_ANY,
    PINSIGHT_CUDA_COPY_2D,    /* first is a pointer to a CUDA_MEMCPY2D */
    PINSIGHT_CUDA_COPY_3D,    /* first is a pointer to a CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER */
    PINSIGHT_CUDA_COPY_BATCH, /* first is a pointer to sizes, `times` is their number */
    /* sets: first is the memory, second the value, bytes counts elements */
    PINSIGHT_CUDA_SET_8,
    PINSIGHT_CUDA_SET_16,
    PINSIGHT_CUDA_SET_32,
    PINSIGHT_CUDA_TAKE, /* first is a pointer to the address of the allocated memory */
};

struct pinsight_cuda_driver_call {
    uint16_t number;
    uint8_t function; /* enum pinsight_cuda_observed */
    uint8_t form;     /* enum pinsight_cuda_form */
    int8_t first, second, bytes, times, stream;
    bool per_thread;
};

extern const struct pinsight_cuda_driver_call pinsight_cuda_driver_calls[];
extern const unsigned pinsight_cuda_driver_call_count;

/* The kind of events (enum pinsight_cuda_kind) of each function, and the prefix of its events'
 * names. */
extern const uint8_t pinsight_cuda_function_kinds[];
extern const char *const pinsight_cuda_function_names[];

/* The arguments of a call; 0 if the call lacks one. */
struct pinsight_cuda_arguments {
    uint64_t first, second, bytes;
    void *stream;
    uint32_t grid[3], block[3], shared_bytes;
    uint32_t value;
    uint8_t kind; /* enum pinsight_cuda_memcpy_kind */
};

/* Reads the arguments of a call. `params` are CUPTI's. */
void pinsight_cuda_read_arguments(const struct pinsight_cuda_driver_call *call,
                                  const uint64_t *params, struct pinsight_cuda_arguments *out);

#endif
