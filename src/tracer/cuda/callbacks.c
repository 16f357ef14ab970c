/* CUPTI's callbacks; see callbacks.h. CUPTI's documentation, "CUPTI Callback API". */
#include "tracer/cuda/callbacks.h"

#include "tracer/cuda/activity.h"
#include "tracer/cuda/cupti.h"
#include "tracer/cuda/domain.h"
#include "tracer/cuda/driver_calls.h"

#include <errno.h>
#include <stddef.h>

static void *subscriber;
static uint64_t called_back; /* the kinds that CUPTI calls back for */

/* The observed calls by CUPTI's numbers: index plus 1. Constant after the first subscription. */
static uint8_t by_number[PINSIGHT_CUDA_CALLBACKS];
#define ENDS_CONTEXT UINT8_MAX

/* ---- begins ---- */

static void record_launch(const struct cupti_call *call, uint32_t path, uint32_t device,
                          uint32_t forward, uint32_t stream, uint32_t kernel,
                          const struct pinsight_cuda_arguments *with) {
    const struct pinsight_record_cuda_cudaKernelLaunch_begin begin = {
        .py_path = path,
        .correlationId = call->correlation_id,
        .devId = device,
        .contextId = call->context_uid,
        .forward_path = forward,
        .streamId = stream,
        .kernel = kernel,
        .grid_x = with->grid[0],
        .grid_y = with->grid[1],
        .grid_z = with->grid[2],
        .block_x = with->block[0],
        .block_y = with->block[1],
        .block_z = with->block[2],
        .shared_bytes = with->shared_bytes,
    };
    pinsight_record_cuda_cudaKernelLaunch_begin(&begin);
}

/* Records the begin of a call. The fields are in the order of the table (src/events/cuda.json). */
static void record_begin(const struct pinsight_cuda_driver_call *known,
                         const struct cupti_call *call, struct pinsight_cuda_thread *thread,
                         uint32_t device, uint32_t kernel) {
    struct pinsight_cuda_arguments with;
    pinsight_cuda_read_arguments(known, call->params, &with);
    uint32_t path = pinsight_link_here();
    unsigned kind = pinsight_cuda_function_kinds[known->function];
    uint32_t forward = kind == PINSIGHT_CUDA_KIND_LAUNCH || kind == PINSIGHT_CUDA_KIND_COPY ||
                               kind == PINSIGHT_CUDA_KIND_SET
                           ? pinsight_cuda_autograd(&thread->autograd, path)
                           : 0;
    uint32_t stream =
        known->stream >= 0 || known->form == PINSIGHT_CUDA_LAUNCH_CONFIG
            ? pinsight_cuda_stream(&thread->streams, call->context, with.stream, known->per_thread)
            : PINSIGHT_CUDA_NO_STREAM;
#define BEGIN(event, ...)                                                                          \
    pinsight_record_cuda_##event##_begin(path, call->correlation_id, device, call->context_uid,    \
                                         forward, ##__VA_ARGS__)
    switch (known->function) {
    case PINSIGHT_CUDA_KERNEL_LAUNCH:
        record_launch(call, path, device, forward, stream, kernel, &with);
        break;
    case PINSIGHT_CUDA_GRAPH_LAUNCH:
        BEGIN(cudaGraphLaunch, stream, with.first);
        break;
    case PINSIGHT_CUDA_LAUNCH_HOST_FUNC:
        BEGIN(cudaLaunchHostFunc, stream);
        break;
    case PINSIGHT_CUDA_MEMCPY:
        BEGIN(cudaMemcpy, with.first, with.second, with.bytes, with.kind);
        break;
    case PINSIGHT_CUDA_MEMCPY_ASYNC:
        BEGIN(cudaMemcpyAsync, stream, with.first, with.second, with.bytes, with.kind);
        break;
    case PINSIGHT_CUDA_MEM_PREFETCH:
        BEGIN(cudaMemPrefetch, stream, with.first, with.bytes);
        break;
    case PINSIGHT_CUDA_MEMSET:
        BEGIN(cudaMemset, with.first, with.value, with.bytes);
        break;
    case PINSIGHT_CUDA_MEMSET_ASYNC:
        BEGIN(cudaMemsetAsync, stream, with.first, with.value, with.bytes);
        break;
    case PINSIGHT_CUDA_MALLOC:
        BEGIN(cudaMalloc, with.bytes);
        break;
    case PINSIGHT_CUDA_MALLOC_ASYNC:
        BEGIN(cudaMallocAsync, stream, with.bytes);
        break;
    case PINSIGHT_CUDA_FREE:
        BEGIN(cudaFree, with.first);
        break;
    case PINSIGHT_CUDA_FREE_ASYNC:
        BEGIN(cudaFreeAsync, stream, with.first);
        break;
    case PINSIGHT_CUDA_MALLOC_HOST:
        BEGIN(cudaMallocHost, with.bytes);
        break;
    case PINSIGHT_CUDA_FREE_HOST:
        BEGIN(cudaFreeHost, with.first);
        break;
    case PINSIGHT_CUDA_DEVICE_SYNC:
        BEGIN(cudaDeviceSync);
        break;
    case PINSIGHT_CUDA_STREAM_SYNC:
        BEGIN(cudaStreamSync, stream);
        break;
    case PINSIGHT_CUDA_EVENT_SYNC:
        BEGIN(cudaEventSync, with.first);
        break;
    case PINSIGHT_CUDA_EVENT_RECORD:
        BEGIN(cudaEventRecord, stream, with.first);
        break;
    case PINSIGHT_CUDA_STREAM_WAIT_EVENT:
        BEGIN(cudaStreamWaitEvent, stream, with.first);
        break;
    case PINSIGHT_CUDA_EVENT_CREATE:
        BEGIN(cudaEventCreate);
        break;
    case PINSIGHT_CUDA_EVENT_DESTROY:
        BEGIN(cudaEventDestroy, with.first);
        break;
    case PINSIGHT_CUDA_EVENT_QUERY:
        BEGIN(cudaEventQuery, with.first);
        break;
    case PINSIGHT_CUDA_STREAM_CREATE:
        BEGIN(cudaStreamCreate);
        break;
    case PINSIGHT_CUDA_STREAM_DESTROY:
        BEGIN(cudaStreamDestroy, stream);
        break;
    case PINSIGHT_CUDA_STREAM_QUERY:
        BEGIN(cudaStreamQuery, stream);
        break;
    case PINSIGHT_CUDA_STREAM_BEGIN_CAPTURE:
        BEGIN(cudaStreamBeginCapture, stream);
        break;
    case PINSIGHT_CUDA_STREAM_END_CAPTURE:
        BEGIN(cudaStreamEndCapture, stream);
        break;
    case PINSIGHT_CUDA_GRAPH_INSTANTIATE:
        BEGIN(cudaGraphInstantiate, with.first);
        break;
    case PINSIGHT_CUDA_MODULE_LOAD:
        BEGIN(cudaModuleLoad);
        break;
    case PINSIGHT_CUDA_MODULE_UNLOAD:
        BEGIN(cudaModuleUnload);
        break;
    }
#undef BEGIN
}

/* ---- ends ---- */

/* Returns the address of the memory that a call allocated, or 0. */
static uint64_t taken(const struct pinsight_cuda_driver_call *known, const struct cupti_call *call,
                      uint32_t result) {
    const uint64_t *place = (const uint64_t *)(uintptr_t)call->params[known->first];
    return result == 0 && place ? *place : 0;
}

static void record_end(const struct pinsight_cuda_driver_call *known,
                       const struct cupti_call *call) {
    uint32_t result = call->result ? *call->result : 0;
    switch (known->function) {
#define END(name, kind, event)                                                                     \
    case PINSIGHT_CUDA_##name:                                                                     \
        pinsight_record_cuda_##event##_end(call->correlation_id, (int32_t)result);                 \
        break;
        PINSIGHT_CUDA_OTHER_FUNCTIONS(END)
#undef END
#define END(name, kind, event)                                                                     \
    case PINSIGHT_CUDA_##name:                                                                     \
        pinsight_record_cuda_##event##_end(call->correlation_id, (int32_t)result,                  \
                                           taken(known, call, result));                            \
        break;
        PINSIGHT_CUDA_TAKING_FUNCTIONS(END)
#undef END
    }
}

/* ---- callbacks ---- */

static void begin(const struct pinsight_cuda_driver_call *known, const struct cupti_call *call,
                  struct pinsight_cuda_thread *thread) {
    unsigned kind = pinsight_cuda_function_kinds[known->function];
    const struct pinsight_cuda_kernel *kernel = NULL;
    uint32_t device = call->context_uid ? pinsight_cuda_device(call->context, call->context_uid)
                                        : PINSIGHT_CUDA_NO_DEVICE;
    const char *name = pinsight_cuda_function_names[known->function];
    if (known->function == PINSIGHT_CUDA_KERNEL_LAUNCH) {
        kernel = pinsight_cuda_kernel(&thread->kernels, call->symbol);
        name = kernel ? kernel->name : name;
    }
    bool recorded = pinsight_calls_begin(
        &pinsight_cuda_domain,
        pinsight_cuda_device_wanted(device) ? kind : PINSIGHT_CALLS_NOT_WANTED, name, NULL);
    if (recorded) {
        record_begin(known, call, thread, device, kernel ? kernel->number : 0);
        pinsight_calls_recorded(&pinsight_cuda_domain);
    }
    pinsight_cuda_activity_asked(call->correlation_id, recorded);
}

static void end(const struct pinsight_cuda_driver_call *known, const struct cupti_call *call) {
    if (pinsight_calls_end(&pinsight_cuda_domain)) {
        record_end(known, call);
        pinsight_calls_recorded(&pinsight_cuda_domain);
    }
    pinsight_calls_ended(&pinsight_cuda_domain);
}

/* Calls that may end a context, and then lose its records: versions of cuCtxDestroy,
 * cuDevicePrimaryCtxRelease and cuDevicePrimaryCtxReset. */
static const uint16_t context_ends[] = {11, 322, 387, 389, 544, 545};

/* Handles a callback. The driver may make nested calls, which have the number of the outer one. */
static void on_call(uint32_t number, const struct cupti_call *call) {
    uint8_t index = number < PINSIGHT_CUDA_CALLBACKS ? by_number[number] : 0;
    if (PINSIGHT_UNLIKELY(index == ENDS_CONTEXT)) {
        if (call->site == CUPTI_AT_ENTER)
            pinsight_cuda_activity_flush();
        return;
    }
    struct pinsight_cuda_thread *thread = index ? pinsight_cuda_thread() : NULL;
    if (!thread)
        return;
    const struct pinsight_cuda_driver_call *known = &pinsight_cuda_driver_calls[index - 1];
    bool is_same = thread->correlation && thread->correlation == call->correlation_id;
    if (call->site == CUPTI_AT_ENTER) {
        if (is_same) {
            thread->inside++;
            return;
        }
        thread->correlation = call->correlation_id;
        thread->inside = 0;
        begin(known, call, thread);
    } else if (is_same && thread->inside) {
        thread->inside--;
    } else {
        thread->correlation = 0;
        end(known, call);
    }
}

static void on_resource(uint32_t what, const struct cupti_resource *resource) {
    if (what == CUPTI_CONTEXT_CREATED)
        pinsight_cuda_context_made(resource->context);
    if (what == CUPTI_STREAM_DESTROY_STARTING || what == CUPTI_CONTEXT_DESTROY_STARTING)
        pinsight_cuda_stream_ended();
    else if (what == CUPTI_MODULE_UNLOAD_STARTING)
        pinsight_cuda_kernel_unloaded();
}

static void on_callback(void *data, uint32_t domain, uint32_t number, const void *info) {
    int error = errno;
    (void)data;
    if (domain == CUPTI_OF_DRIVER)
        on_call(number, info);
    else if (domain == CUPTI_OF_RESOURCES)
        on_resource(number, info);
    errno = error;
}

/* ---- the subscription ---- */

/* Numbers the calls once, because callbacks of an earlier subscription may still arrive. */
static void number_calls(void) {
    if (by_number[pinsight_cuda_driver_calls[0].number])
        return;
    for (unsigned i = 0; i < pinsight_cuda_driver_call_count; i++)
        by_number[pinsight_cuda_driver_calls[i].number] = (uint8_t)(i + 1);
    for (size_t i = 0; i < sizeof context_ends / sizeof *context_ends; i++)
        by_number[context_ends[i]] = ENDS_CONTEXT;
}

bool pinsight_cuda_subscribed(void) {
    return subscriber != NULL;
}

uint32_t pinsight_cuda_subscribe(void) {
    static const uint32_t resources[] = {CUPTI_CONTEXT_CREATED, CUPTI_CONTEXT_DESTROY_STARTING,
                                         CUPTI_STREAM_DESTROY_STARTING,
                                         CUPTI_MODULE_UNLOAD_STARTING};
    void *made = NULL;
    number_calls();
    uint32_t result = pinsight_cupti.cuptiSubscribe(&made, on_callback, NULL);
    if (result != CUPTI_OK)
        return result;
    subscriber = made;
    called_back = 0;
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        pinsight_cupti.cuptiEnableCallback(1, subscriber, CUPTI_OF_RESOURCES, resources[i]);
    for (size_t i = 0; i < sizeof context_ends / sizeof *context_ends; i++)
        pinsight_cupti.cuptiEnableCallback(1, subscriber, CUPTI_OF_DRIVER, context_ends[i]);
    /* Streams and modules may have ended without a subscription. */
    pinsight_cuda_stream_ended();
    pinsight_cuda_kernel_unloaded();
    return CUPTI_OK;
}

void pinsight_cuda_unsubscribe(void) {
    if (!subscriber)
        return;
    pinsight_cupti.cuptiUnsubscribe(subscriber);
    subscriber = NULL;
    pinsight_calls_break(&pinsight_cuda_domain);
}

void pinsight_cuda_call_back(uint64_t kinds) {
    uint64_t changed = kinds ^ called_back;
    for (unsigned i = 0; subscriber && i < pinsight_cuda_driver_call_count; i++) {
        unsigned kind = pinsight_cuda_function_kinds[pinsight_cuda_driver_calls[i].function];
        /* CUPTI refuses a call that it does not know. The program cannot make such a call
         * either. */
        if (changed >> kind & 1)
            pinsight_cupti.cuptiEnableCallback(kinds >> kind & 1, subscriber, CUPTI_OF_DRIVER,
                                               pinsight_cuda_driver_calls[i].number);
    }
    /* The ends of open calls may be missing if their kind is switched off. */
    if (called_back & ~kinds)
        pinsight_calls_break(&pinsight_cuda_domain);
    called_back = kinds;
}
