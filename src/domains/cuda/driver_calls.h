/* The driver's calls that are observed (driver_calls.def), and what their arguments say. */
#ifndef PINSIGHT_CUDA_DRIVER_CALLS_H
#define PINSIGHT_CUDA_DRIVER_CALLS_H

#include "domains/cuda/cupti_abi.h"

#include <stdbool.h>
#include <stdint.h>

/* CUPTI's numbers of callbacks are below this. */
#define PINSIGHT_CUDA_CALLBACKS 1024

/* F(NAME, kind of events, event's name): the functions that the trace tells apart. The end of those
 * that take memory has its address. */
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

/* How the arguments are read. */
enum pinsight_cuda_form {
    PINSIGHT_CUDA_PLAIN,         /* as they stand */
    PINSIGHT_CUDA_LAUNCH,        /* function; grid, block and shared memory of four bytes each */
    PINSIGHT_CUDA_LAUNCH_CONFIG, /* a pointer to a CUlaunchConfig, which has that and the stream */
    PINSIGHT_CUDA_COPY_TO,       /* copies: first is the destination, second the source */
    PINSIGHT_CUDA_COPY_FROM,
    PINSIGHT_CUDA_COPY_ON,
    PINSIGHT_CUDA_COPY_ANY,
    PINSIGHT_CUDA_COPY_2D,    /* first is a pointer to a CUDA_MEMCPY2D */
    PINSIGHT_CUDA_COPY_3D,    /* first is a pointer to a CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER */
    PINSIGHT_CUDA_COPY_BATCH, /* first is a pointer to sizes, `times` their number */
    PINSIGHT_CUDA_SET_8,      /* sets: first is the memory, second the value, bytes are elements */
    PINSIGHT_CUDA_SET_16,
    PINSIGHT_CUDA_SET_32,
    PINSIGHT_CUDA_TAKE, /* first points to where the call puts the memory's address */
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

/* The kind of events (enum pinsight_cuda_kind) that a function's belong to, and the name that its
 * events begin with. */
extern const uint8_t pinsight_cuda_function_kinds[];
extern const char *const pinsight_cuda_function_names[];

/* What a call's arguments say; 0 what they do not. */
struct pinsight_cuda_arguments {
    uint64_t first, second, bytes;
    void *stream;
    uint32_t grid[3], block[3], shared_bytes;
    uint32_t value;
    uint8_t kind; /* enum pinsight_cuda_memcpy_kind */
};

/* Reads the arguments of a call that is of that kind. `params` are CUPTI's. */
void pinsight_cuda_read_arguments(const struct pinsight_cuda_driver_call *call,
                                  const uint64_t *params, struct pinsight_cuda_arguments *out);

#endif
