/* A fake of NVIDIA's driver: its functions for memory, streams, events, modules and launches. */
#include "driver.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY ((uint64_t)80 << 30)

static _Atomic CUdeviceptr addresses = 0x700000000000;
static _Atomic uint64_t taken;
static _Atomic uint32_t events, modules;

/* Devices and contexts: calls that no tool wants to hear of. */

FAKE_API CUresult cuDriverGetVersion(int *version) {
    long wanted = fake_option("FAKE_CUDA", "driver");
    *version = wanted < 0 ? 13000 : (int)wanted;
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuDeviceGetCount(int *count) {
    *count = fake_devices();
    return fake_is_up() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

FAKE_API CUresult cuDeviceGet(CUdevice *device, int number) {
    if (!fake_is_up())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (number < 0 || number >= fake_devices())
        return CUDA_ERROR_INVALID_DEVICE;
    *device = number;
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    snprintf(name, (size_t)size, "Fake Device %d", device);
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuDeviceGetUuid(unsigned char *uuid, CUdevice device) {
    for (int i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(0xa0 + i + device);
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device) {
    return cuDeviceGetUuid(uuid, device);
}

FAKE_API CUresult cuDeviceGetPCIBusId(char *bus, int size, CUdevice device) {
    snprintf(bus, (size_t)size, "0000:%02X:00.0", 0x17 + device);
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    (void)device;
    *bytes = MEMORY;
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    *value = attribute == 16 ? 132 : attribute == 75 ? 9 : attribute == 76 ? 0 : device;
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    static _Atomic(CUcontext) primary[8];
    CUcontext made = atomic_load(&primary[device]);

    if (!fake_is_up())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!made) {
        made = fake_new_context(device);
        atomic_store(&primary[device], made);
    }
    *context = made;
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuCtxGetCurrent(CUcontext *context) {
    *context = fake_current();
    return fake_is_up() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

FAKE_API CUresult cuCtxSetCurrent(CUcontext context) {
    fake_set_current(context);
    return fake_is_up() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

FAKE_API CUresult cuCtxGetDevice(CUdevice *device) {
    if (!fake_current())
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = fake_current()->device;
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
    struct fake_call call;

    if (fake_begin(
            &call, 235, "cuCtxCreate_v2",
            PARAMS(CUcontext * context; unsigned flags; CUdevice device){context, flags, device},
            NULL, NULL)) {
        *context = call.context = fake_new_context(device);
        fake_set_current(*context);
    }
    return fake_end(&call);
}

FAKE_API CUresult cuCtxDestroy_v2(CUcontext context) {
    struct fake_call call;

    if (fake_begin(&call, 322, "cuCtxDestroy_v2", PARAMS(CUcontext context){context}, NULL, NULL)) {
        fake_resource(FAKE_CONTEXT_DESTROY, context, NULL, NULL);
        context->is_gone = true;
        if (fake_current() == context)
            fake_set_current(NULL);
    }
    return fake_end(&call);
}

FAKE_API CUresult cuCtxSynchronize(void) {
    struct fake_call call;
    int no_params = 0;

    if (fake_begin(&call, 17, "cuCtxSynchronize", &no_params, NULL, NULL))
        fake_wait(&call, fake_all_done(call.context), 4, FAKE_NO_STREAM, FAKE_NO_STREAM);
    return fake_end(&call);
}

/* Streams and events. */

FAKE_API CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    struct fake_call call;

    if (fake_begin(&call, 124, "cuStreamCreate",
                   PARAMS(CUstream * stream; unsigned flags){stream, flags}, NULL, NULL)) {
        *stream = call.stream = fake_new_stream(call.context);
        fake_resource(FAKE_STREAM_CREATED, call.context, *stream, NULL);
    }
    return fake_end(&call);
}

FAKE_API CUresult cuStreamDestroy_v2(CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 326, "cuStreamDestroy_v2", PARAMS(CUstream stream){stream}, NULL,
                   stream)) {
        fake_resource(FAKE_STREAM_DESTROY, call.context, stream, NULL);
        stream->is_gone = true;
    }
    return fake_end(&call);
}

FAKE_API CUresult cuStreamSynchronize(CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 126, "cuStreamSynchronize", PARAMS(CUstream stream){stream}, NULL,
                   stream))
        fake_wait(&call, call.stream->free_at, 3, call.stream->id, FAKE_NO_STREAM);
    return fake_end(&call);
}

FAKE_API CUresult cuStreamQuery(CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 125, "cuStreamQuery", PARAMS(CUstream stream){stream}, NULL, stream) &&
        fake_now() < call.stream->free_at)
        call.result = CUDA_ERROR_NOT_READY;
    return fake_end(&call);
}

FAKE_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    struct fake_call call;

    if (fake_begin(&call, 295, "cuStreamWaitEvent",
                   PARAMS(CUstream stream; CUevent event; unsigned flags){stream, event, flags},
                   NULL, stream)) {
        call.address = (uintptr_t)event;
        if (event->at > call.stream->free_at)
            call.stream->free_at = event->at;
    }
    return fake_end(&call);
}

FAKE_API CUresult cuEventCreate(CUevent *event, unsigned flags) {
    struct fake_call call;

    if (fake_begin(&call, 118, "cuEventCreate",
                   PARAMS(CUevent * event; unsigned flags){event, flags}, NULL, NULL)) {
        *event = calloc(1, sizeof(**event));
        (*event)->id = atomic_fetch_add(&events, 1) + 1;
    }
    return fake_end(&call);
}

FAKE_API CUresult cuEventDestroy_v2(CUevent event) {
    struct fake_call call;

    if (fake_begin(&call, 325, "cuEventDestroy_v2", PARAMS(CUevent event){event}, NULL, NULL))
        call.address = (uintptr_t)event;
    return fake_end(&call);
}

FAKE_API CUresult cuEventRecord(CUevent event, CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 119, "cuEventRecord",
                   PARAMS(CUevent event; CUstream stream){event, stream}, NULL, stream)) {
        call.address = (uintptr_t)event;
        event->at = call.stream->free_at;
    }
    return fake_end(&call);
}

FAKE_API CUresult cuEventSynchronize(CUevent event) {
    struct fake_call call;

    if (fake_begin(&call, 121, "cuEventSynchronize", PARAMS(CUevent event){event}, NULL, NULL)) {
        call.address = (uintptr_t)event;
        fake_wait(&call, event->at, 1, FAKE_NO_STREAM, event->id);
    }
    return fake_end(&call);
}

FAKE_API CUresult cuEventQuery(CUevent event) {
    struct fake_call call;

    if (fake_begin(&call, 120, "cuEventQuery", PARAMS(CUevent event){event}, NULL, NULL)) {
        call.address = (uintptr_t)event;
        if (fake_now() < event->at)
            call.result = CUDA_ERROR_NOT_READY;
    }
    return fake_end(&call);
}

/* Memory. */

static void take(struct fake_call *call, CUdeviceptr *address, size_t bytes) {
    long limit = fake_option("FAKE_CUDA", "memory");

    call->bytes = bytes;
    if (atomic_load(&taken) + bytes > (limit < 0 ? MEMORY : (uint64_t)limit)) {
        call->result = CUDA_ERROR_OUT_OF_MEMORY;
        return;
    }
    atomic_fetch_add(&taken, bytes);
    *address = call->address = atomic_fetch_add(&addresses, (bytes + 511) / 512 * 512);
}

FAKE_API CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    struct fake_call call;

    if (fake_begin(&call, 243, "cuMemAlloc_v2",
                   PARAMS(CUdeviceptr * address; size_t bytes){address, bytes}, NULL, NULL))
        take(&call, address, bytes);
    return fake_end(&call);
}

FAKE_API CUresult cuMemFree_v2(CUdeviceptr address) {
    struct fake_call call;

    if (fake_begin(&call, 245, "cuMemFree_v2", PARAMS(CUdeviceptr address){address}, NULL, NULL))
        call.address = address;
    return fake_end(&call);
}

FAKE_API CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
    struct fake_call call;

    if (fake_begin(
            &call, 598, "cuMemAllocAsync",
            PARAMS(CUdeviceptr * address; size_t bytes; CUstream stream){address, bytes, stream},
            NULL, stream))
        take(&call, address, bytes);
    return fake_end(&call);
}

FAKE_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 600, "cuMemFreeAsync",
                   PARAMS(CUdeviceptr address; CUstream stream){address, stream}, NULL, stream))
        call.address = address;
    return fake_end(&call);
}

FAKE_API CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    struct fake_call call;

    if (fake_begin(&call, 39, "cuMemHostAlloc",
                   PARAMS(void **address; size_t bytes; unsigned flags){address, bytes, flags},
                   NULL, NULL)) {
        call.bytes = bytes;
        *address = malloc(bytes);
        call.address = (uintptr_t)*address;
    }
    return fake_end(&call);
}

FAKE_API CUresult cuMemFreeHost(void *address) {
    struct fake_call call;

    if (fake_begin(&call, 38, "cuMemFreeHost", PARAMS(void *address){address}, NULL, NULL)) {
        call.address = (uintptr_t)address;
        free(address);
    }
    return fake_end(&call);
}

/* Copies and memsets: 5 us, and 10 bytes a ns. */

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 8, PEER_TO_PEER = 10 };

static void copy(struct fake_call *call, uint32_t kind, uint32_t what, size_t bytes, bool waits) {
    struct fake_work work = {.kind = kind, .what = what, .bytes = bytes};

    call->bytes = bytes;
    fake_put(call, &work, 5000 + bytes / 10);
    if (waits)
        fake_wait(call, call->stream->free_at, 3, call->stream->id, FAKE_NO_STREAM);
}

FAKE_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    struct fake_call call;

    if (fake_begin(&call, 276, "cuMemcpyHtoD_v2",
                   PARAMS(CUdeviceptr to; const void *from; size_t bytes){to, from, bytes}, NULL,
                   NULL))
        copy(&call, FAKE_MEMCPY, HOST_TO_DEVICE, bytes, true);
    return fake_end(&call);
}

FAKE_API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    struct fake_call call;

    if (fake_begin(&call, 278, "cuMemcpyDtoH_v2",
                   PARAMS(void *to; CUdeviceptr from; size_t bytes){to, from, bytes}, NULL, NULL))
        copy(&call, FAKE_MEMCPY, DEVICE_TO_HOST, bytes, true);
    return fake_end(&call);
}

FAKE_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                       CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 277, "cuMemcpyHtoDAsync_v2",
                   PARAMS(CUdeviceptr to; const void *from; size_t bytes;
                          CUstream stream){to, from, bytes, stream},
                   NULL, stream))
        copy(&call, FAKE_MEMCPY, HOST_TO_DEVICE, bytes, false);
    return fake_end(&call);
}

FAKE_API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 279, "cuMemcpyDtoHAsync_v2",
                   PARAMS(void *to; CUdeviceptr from; size_t bytes;
                          CUstream stream){to, from, bytes, stream},
                   NULL, stream))
        copy(&call, FAKE_MEMCPY, DEVICE_TO_HOST, bytes, false);
    return fake_end(&call);
}

FAKE_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                       CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 281, "cuMemcpyDtoDAsync_v2",
                   PARAMS(CUdeviceptr to; CUdeviceptr from; size_t bytes;
                          CUstream stream){to, from, bytes, stream},
                   NULL, stream))
        copy(&call, FAKE_MEMCPY, DEVICE_TO_DEVICE, bytes, false);
    return fake_end(&call);
}

FAKE_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                    CUcontext from_context, size_t bytes, CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 319, "cuMemcpyPeerAsync",
                   PARAMS(CUdeviceptr to; CUcontext to_context; CUdeviceptr from;
                          CUcontext from_context; size_t bytes;
                          CUstream stream){to, to_context, from, from_context, bytes, stream},
                   NULL, stream))
        copy(&call, FAKE_MEMCPY2, PEER_TO_PEER, bytes, false);
    return fake_end(&call);
}

FAKE_API CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t count) {
    struct fake_call call;

    if (fake_begin(
            &call, 249, "cuMemsetD8_v2",
            PARAMS(CUdeviceptr address; unsigned char value; size_t count){address, value, count},
            NULL, NULL)) {
        call.address = address;
        copy(&call, FAKE_MEMSET, value, count, false);
    }
    return fake_end(&call);
}

FAKE_API CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count,
                                   CUstream stream) {
    struct fake_call call;

    if (fake_begin(&call, 220, "cuMemsetD32Async",
                   PARAMS(CUdeviceptr address; unsigned value; size_t count;
                          CUstream stream){address, value, count, stream},
                   NULL, stream)) {
        call.address = address;
        copy(&call, FAKE_MEMSET, value, 4 * count, false);
    }
    return fake_end(&call);
}

/* Modules and launches. */

FAKE_API CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    struct fake_call call;

    if (fake_begin(&call, 19, "cuModuleLoadData",
                   PARAMS(CUmodule * module; const void *image){module, image}, NULL, NULL)) {
        struct fake_module_data data = {
            .module = atomic_fetch_add(&modules, 1) + 1, .size = 4, .image = "fake"};
        *module = (CUmodule)(uintptr_t)data.module;
        fake_resource(FAKE_MODULE_LOADED, call.context, NULL, &data);
    }
    return fake_end(&call);
}

FAKE_API CUresult cuModuleUnload(CUmodule module) {
    struct fake_call call;

    if (fake_begin(&call, 22, "cuModuleUnload", PARAMS(CUmodule module){module}, NULL, NULL)) {
        struct fake_module_data data = {
            .module = (uint32_t)(uintptr_t)module, .size = 4, .image = "fake"};
        fake_resource(FAKE_MODULE_UNLOAD, call.context, NULL, &data);
    }
    return fake_end(&call);
}

/* Any name is a function; it has the one place as long as the process lives. */
FAKE_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    (void)module;
    *function = malloc(sizeof(**function));
    (*function)->name = strdup(name);
    return CUDA_SUCCESS;
}

static void launch(struct fake_call *call, CUfunction function, const unsigned shape[7]) {
    struct fake_work work = {.kind = FAKE_KERNEL,
                             .grid = {shape[0], shape[1], shape[2]},
                             .block = {shape[3], shape[4], shape[5]},
                             .shared = shape[6],
                             .name = function->name};

    if (shape[3] > 1024)
        call->result = CUDA_ERROR_INVALID_VALUE;
    else
        fake_put(call, &work, 10000 + (uint64_t)shape[0] * 1000);
}

FAKE_API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                 unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                 void **params, void **extra) {
    struct fake_call call;

    if (fake_begin(&call, 307, "cuLaunchKernel",
                   PARAMS(CUfunction f; unsigned shape[7]; CUstream stream; void **params;
                          void **extra){f, {gx, gy, gz, bx, by, bz, shared}, stream, params, extra},
                   f->name, stream))
        launch(&call, f, (unsigned[]){gx, gy, gz, bx, by, bz, shared});
    return fake_end(&call);
}

struct fake_launch_config {
    unsigned shape[7];
    CUstream stream;
    void *attributes;
    unsigned attribute_count;
};

FAKE_API CUresult cuLaunchKernelEx(const struct fake_launch_config *config, CUfunction f,
                                   void **params, void **extra) {
    struct fake_call call;

    if (fake_begin(&call, 652, "cuLaunchKernelEx",
                   PARAMS(const struct fake_launch_config *config; CUfunction f; void **params;
                          void **extra){config, f, params, extra},
                   f->name, config->stream))
        launch(&call, f, config->shape);
    return fake_end(&call);
}

FAKE_API CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data) {
    struct fake_call call;

    if (fake_begin(
            &call, 527, "cuLaunchHostFunc",
            PARAMS(CUstream stream; void (*function)(void *); void *data){stream, function, data},
            NULL, stream))
        function(data);
    return fake_end(&call);
}
