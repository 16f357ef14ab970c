/* What CUPTI costs by itself: a library for CUDA_INJECTION64_PATH that subscribes to what PInsight
 * subscribes to and does nothing with it. BARE_CUPTI is the path of libcupti; with BARE_ACTIVITY=1
 * devices' work is recorded, too, and its buffers are given back unread. With BARE_EVENTS=1, under
 * `pinsight run`, the two events of each launch are recorded as they stand: the floor. */
#include "describe/cuda.h"
#include "tracer/core/calls.h"
#include "tracer/cuda/cupti_abi.h"
#include "tracer/cuda/driver_calls.h"
#include "tracer/record/cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define DECLARE(name, parameters) static uint32_t(*name) parameters;
CUPTI_FUNCTIONS(DECLARE)
#undef DECLARE

static void nothing(void) {
}
static void define(const struct pinsight_lexgion *lexgion) {
    (void)lexgion;
}
static struct pinsight_calls bare = {PINSIGHT_CALLS_INIT(bare, CUDA, define, nothing, nothing,
                                                         pinsight_record_cuda_kernel_info_enabled)};

static void on_callback(void *data, uint32_t domain, uint32_t number, const void *info) {
    (void)data, (void)domain, (void)number, (void)info;
}

static void record_two(void *data, uint32_t domain, uint32_t number, const void *info) {
    const struct cupti_call *call = info;
    (void)data, (void)number;
    if (domain != CUPTI_OF_DRIVER)
        return;
    if (call->site == CUPTI_AT_ENTER) {
        const struct pinsight_record_cuda_cudaKernelLaunch_begin begin = {
            .correlationId = call->correlation_id, .contextId = call->context_uid, .kernel = 1};
        pinsight_record_cuda_cudaKernelLaunch_begin(&begin);
    } else {
        pinsight_record_cuda_cudaKernelLaunch_end(call->correlation_id, 0);
    }
}

static void on_requested(uint8_t **buffer, size_t *size, size_t *most) {
    *buffer = aligned_alloc(64, *size = 1 << 20);
    *most = 0;
}

static void on_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                         size_t valid) {
    (void)context, (void)stream, (void)size, (void)valid;
    free(buffer);
}

__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void) {
    static const uint32_t kinds[] = {
        CUPTI_CONCURRENT_KERNEL, CUPTI_MEMCPY,          CUPTI_MEMSET,
        CUPTI_MEMCPY_PEER,       CUPTI_SYNCHRONIZATION, CUPTI_GRAPH_TRACE};
    void *library = dlopen(getenv("BARE_CUPTI"), RTLD_NOW), *subscriber;
    if (!library) {
        fprintf(stderr, "bare: %s\n", dlerror());
        return 1;
    }
#define FIND(name, parameters) *(void **)&name = dlsym(library, #name);
    CUPTI_FUNCTIONS(FIND)
#undef FIND
    if (getenv("BARE_EVENTS"))
        pinsight_calls_start(&bare);
    if (cuptiSubscribe(&subscriber, getenv("BARE_EVENTS") ? record_two : on_callback, NULL) !=
        CUPTI_OK)
        fprintf(stderr, "bare: no subscription\n");
    for (unsigned i = 0; i < pinsight_cuda_driver_call_count; i++)
        cuptiEnableCallback(1, subscriber, CUPTI_OF_DRIVER, pinsight_cuda_driver_calls[i].number);
    if (getenv("BARE_ACTIVITY")) {
        cuptiActivityRegisterCallbacks(on_requested, on_completed);
        for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
            cuptiActivityEnable(kinds[i]);
    }
    return 1;
}
