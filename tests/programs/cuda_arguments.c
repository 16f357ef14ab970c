/* What the CUDA domain reads from the arguments of the driver's functions, in the structures of
 * NVIDIA's headers. Executed by tests/integration/test_cuda_abi.py, which writes params.h: struct
 * FUNCTION_params for each observed function. */
#include <cuda.h>
#include <cupti.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "params.h"
#include "tracer/cuda/driver_calls.c"

static int failed;

#define EXPECT(is, wanted)                                                                         \
    do {                                                                                           \
        unsigned long long value_ = (unsigned long long)(is),                                      \
                           right_ = (unsigned long long)(wanted);                                  \
        if (value_ != right_)                                                                      \
            failed = printf("line %d: " #is " is %llu, not %llu\n", __LINE__, value_, right_);     \
    } while (0)

/* What of a structure is not set is no zero. */
#define PARAMS(function)                                                                           \
    struct function##_params params;                                                               \
    memset(&params, 0xa5, sizeof(params))
#define READ(function) read_one(CUPTI_DRIVER_TRACE_CBID_##function, &params)

static struct pinsight_cuda_arguments read_one(unsigned number, const void *params) {
    struct pinsight_cuda_arguments out;

    memset(&out, 0x5a, sizeof(out));
    for (unsigned i = 0; i < pinsight_cuda_driver_call_count; i++)
        if (pinsight_cuda_driver_calls[i].number == number) {
            pinsight_cuda_read_arguments(&pinsight_cuda_driver_calls[i], params, &out);
            return out;
        }
    failed = printf("%u is not in the table\n", number);
    return out;
}

#define STREAM ((CUstream)(uintptr_t)0x5000)
#define HOST ((void *)(uintptr_t)0x7000)

static void launches(void) {
    struct pinsight_cuda_arguments found;
    {
        PARAMS(cuLaunchKernel);
        params.gridDimX = 2, params.gridDimY = 3, params.gridDimZ = 4;
        params.blockDimX = 5, params.blockDimY = 6, params.blockDimZ = 7;
        params.sharedMemBytes = 8;
        params.hStream = STREAM;
        found = READ(cuLaunchKernel);
    }
    for (int i = 0; i < 3; i++) {
        EXPECT(found.grid[i], 2 + i);
        EXPECT(found.block[i], 5 + i);
    }
    EXPECT(found.shared_bytes, 8);
    EXPECT(found.stream, STREAM);
    {
        PARAMS(cuLaunchKernelEx);
        CUlaunchConfig config;
        memset(&config, 0xa5, sizeof(config));
        config.gridDimX = 12, config.gridDimY = 13, config.gridDimZ = 14;
        config.blockDimX = 15, config.blockDimY = 16, config.blockDimZ = 17;
        config.sharedMemBytes = 18;
        config.hStream = STREAM;
        params.config = &config;
        found = READ(cuLaunchKernelEx);
        params.config = NULL;
        EXPECT(READ(cuLaunchKernelEx).grid[0], 0);
    }
    for (int i = 0; i < 3; i++) {
        EXPECT(found.grid[i], 12 + i);
        EXPECT(found.block[i], 15 + i);
    }
    EXPECT(found.shared_bytes, 18);
    EXPECT(found.stream, STREAM);
    PARAMS(cuGraphLaunch);
    params.hGraph = (CUgraphExec)(uintptr_t)77;
    params.hStream = STREAM;
    found = READ(cuGraphLaunch);
    EXPECT(found.first, 77);
    EXPECT(found.stream, STREAM);
}

static void plain_copies(void) {
    struct pinsight_cuda_arguments found;
    {
        PARAMS(cuMemcpyHtoDAsync_v2);
        params.dstDevice = 100, params.srcHost = HOST, params.ByteCount = 11,
        params.hStream = STREAM;
        found = READ(cuMemcpyHtoDAsync_v2);
        EXPECT(found.first, 100);
        EXPECT(found.second, HOST);
        EXPECT(found.bytes, 11);
        EXPECT(found.stream, STREAM);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_HOST_TO_DEVICE);
    }
    {
        PARAMS(cuMemcpyDtoH_v2);
        params.dstHost = HOST, params.srcDevice = 200, params.ByteCount = 12;
        found = READ(cuMemcpyDtoH_v2);
        EXPECT(found.first, HOST);
        EXPECT(found.second, 200);
        EXPECT(found.bytes, 12);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_HOST);
    }
    {
        PARAMS(cuMemcpyDtoD_v2);
        params.dstDevice = 1, params.srcDevice = 2, params.ByteCount = 13;
        found = READ(cuMemcpyDtoD_v2);
        EXPECT(found.first, 1);
        EXPECT(found.second, 2);
        EXPECT(found.bytes, 13);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_DEVICE);
    }
    {
        PARAMS(cuMemcpyAsync);
        params.dst = 1, params.src = 2, params.ByteCount = 14, params.hStream = STREAM;
        found = READ(cuMemcpyAsync);
        EXPECT(found.bytes, 14);
        EXPECT(found.stream, STREAM);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_DEFAULT);
    }
    {
        PARAMS(cuMemcpyPeerAsync);
        params.dstDevice = 1, params.srcDevice = 2, params.ByteCount = 15, params.hStream = STREAM;
        found = READ(cuMemcpyPeerAsync);
        EXPECT(found.first, 1);
        EXPECT(found.second, 2);
        EXPECT(found.bytes, 15);
        EXPECT(found.stream, STREAM);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_DEVICE);
    }
}

static void shaped_copies(void) {
    struct pinsight_cuda_arguments found;
    {
        PARAMS(cuMemcpy2DAsync_v2);
        CUDA_MEMCPY2D copy;
        memset(&copy, 0xa5, sizeof(copy));
        copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = HOST;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE, copy.dstDevice = 300;
        copy.WidthInBytes = 10, copy.Height = 20;
        params.pCopy = &copy, params.hStream = STREAM;
        found = READ(cuMemcpy2DAsync_v2);
        EXPECT(found.first, 300);
        EXPECT(found.second, HOST);
        EXPECT(found.bytes, 200);
        EXPECT(found.stream, STREAM);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_HOST_TO_DEVICE);
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = (CUarray)(uintptr_t)0x900;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = HOST;
        found = READ(cuMemcpy2DAsync_v2);
        EXPECT(found.first, HOST);
        EXPECT(found.second, 0x900);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_HOST);
        copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED, copy.srcDevice = 400;
        found = READ(cuMemcpy2DAsync_v2);
        EXPECT(found.second, 400);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_DEFAULT);
        params.pCopy = NULL;
        EXPECT(READ(cuMemcpy2DAsync_v2).bytes, 0);
    }
    {
        PARAMS(cuMemcpy3D_v2);
        CUDA_MEMCPY3D copy;
        memset(&copy, 0xa5, sizeof(copy));
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = 500;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = HOST;
        copy.WidthInBytes = 3, copy.Height = 5, copy.Depth = 7;
        params.pCopy = &copy;
        found = READ(cuMemcpy3D_v2);
        EXPECT(found.first, HOST);
        EXPECT(found.second, 500);
        EXPECT(found.bytes, 105);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_HOST);
    }
    {
        PARAMS(cuMemcpy3DPeerAsync);
        CUDA_MEMCPY3D_PEER copy;
        memset(&copy, 0xa5, sizeof(copy));
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = 600;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE, copy.dstDevice = 700;
        copy.WidthInBytes = 3, copy.Height = 5, copy.Depth = 2;
        params.pCopy = &copy, params.hStream = STREAM;
        found = READ(cuMemcpy3DPeerAsync);
        EXPECT(found.first, 700);
        EXPECT(found.second, 600);
        EXPECT(found.bytes, 30);
        EXPECT(found.stream, STREAM);
        EXPECT(found.kind, PINSIGHT_CUDA_MEMCPY_KIND_DEVICE_TO_DEVICE);
    }
    {
        PARAMS(cuMemcpyBatchAsync);
        size_t sizes[] = {1, 20, 300};
        params.sizes = sizes, params.count = 3, params.hStream = STREAM;
        found = READ(cuMemcpyBatchAsync);
        EXPECT(found.bytes, 321);
        EXPECT(found.stream, STREAM);
        params.sizes = NULL;
        EXPECT(READ(cuMemcpyBatchAsync).bytes, 0);
    }
}

static void sets_and_memory(void) {
    struct pinsight_cuda_arguments found;
    {
        PARAMS(cuMemsetD8Async);
        params.dstDevice = 1, params.uc = 0xfe, params.N = 33, params.hStream = STREAM;
        found = READ(cuMemsetD8Async);
        EXPECT(found.first, 1);
        EXPECT(found.value, 0xfe);
        EXPECT(found.bytes, 33);
        EXPECT(found.stream, STREAM);
    }
    {
        PARAMS(cuMemsetD16_v2);
        params.dstDevice = 1, params.us = 0xfedc, params.N = 33;
        found = READ(cuMemsetD16_v2);
        EXPECT(found.value, 0xfedc);
        EXPECT(found.bytes, 66);
    }
    {
        PARAMS(cuMemsetD2D32Async);
        params.dstDevice = 1, params.ui = 0xfedcba98, params.Width = 3, params.Height = 5,
        params.hStream = STREAM;
        found = READ(cuMemsetD2D32Async);
        EXPECT(found.value, 0xfedcba98);
        EXPECT(found.bytes, 60);
        EXPECT(found.stream, STREAM);
    }
    {
        PARAMS(cuMemAllocPitch_v2);
        params.WidthInBytes = 100, params.Height = 3;
        EXPECT(READ(cuMemAllocPitch_v2).bytes, 300);
    }
    {
        PARAMS(cuMemAllocAsync);
        CUdeviceptr address;
        params.dptr = &address, params.bytesize = 44, params.hStream = STREAM;
        found = READ(cuMemAllocAsync);
        EXPECT(found.first, &address);
        EXPECT(found.bytes, 44);
        EXPECT(found.stream, STREAM);
    }
    {
        PARAMS(cuMemPrefetchAsync_v2);
        params.devPtr = 5, params.count = 6, params.hStream = STREAM;
        found = READ(cuMemPrefetchAsync_v2);
        EXPECT(found.first, 5);
        EXPECT(found.bytes, 6);
        EXPECT(found.stream, STREAM);
    }
}

int main(void) {
    launches();
    plain_copies();
    shaped_copies();
    sets_and_memory();
    return failed != 0;
}
