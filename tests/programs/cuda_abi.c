/* Compiled with NVIDIA's headers, and never executed: are the project's declarations of CUPTI's
 * structures and numbers, and those of the tests' fake, those of CUPTI? Writes out what
 * tests/integration/test_cuda_abi.py compares itself. */
#include <cuda.h>
#include <cupti.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "params.h"

#include "fakes/cuda/cupti_abi.h"
#include "tracer/cuda/cupti_abi.h"

#if CUPTI_API_VERSION < 130000
typedef CUpti_ActivityKernel9 kernel_record;
typedef CUpti_ActivityMemcpy6 memcpy_record;
typedef CUpti_ActivityMemset4 memset_record;
typedef CUpti_ActivitySynchronization sync_record;
#elif CUPTI_API_VERSION < 130500
typedef CUpti_ActivityKernel10 kernel_record;
typedef CUpti_ActivityMemcpy6 memcpy_record;
typedef CUpti_ActivityMemset4 memset_record;
typedef CUpti_ActivitySynchronization2 sync_record;
#else
typedef CUpti_ActivityKernel13 kernel_record;
typedef CUpti_ActivityMemcpy7 memcpy_record;
typedef CUpti_ActivityMemset5 memset_record;
typedef CUpti_ActivitySynchronization2 sync_record;
#endif
typedef CUpti_ActivityMemcpyPtoP4 peer_record;
typedef CUpti_ActivityGraphTrace2 graph_record;

/* A member of ours is at the place of theirs, and as long. */
#define SAME(ours, member, theirs, its)                                                            \
    _Static_assert(offsetof(struct ours, member) == offsetof(theirs, its) &&                       \
                       sizeof(((struct ours *)0)->member) == sizeof(((theirs *)0)->its),           \
                   #ours "." #member)
#define IS(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)

/* What both of ours have, under the same names: F(ours, theirs, member, its). */
#define COMMON(F, ours, theirs)                                                                    \
    F(ours, kind, theirs, kind);                                                                   \
    F(ours, start, theirs, start);                                                                 \
    F(ours, end, theirs, end);                                                                     \
    F(ours, context, theirs, contextId);                                                           \
    F(ours, stream, theirs, streamId)
#define WORK(F, ours, theirs)                                                                      \
    COMMON(F, ours, theirs);                                                                       \
    F(ours, device, theirs, deviceId);                                                             \
    F(ours, correlation, theirs, correlationId);                                                   \
    F(ours, graph_node, theirs, graphNodeId);                                                      \
    F(ours, graph, theirs, graphId)
#define RECORDS(prefix, peer, synchronization)                                                     \
    WORK(SAME, prefix##_kernel, kernel_record);                                                    \
    SAME(prefix##_kernel, completed, kernel_record, completed);                                    \
    SAME(prefix##_kernel, name, kernel_record, name);                                              \
    SAME(prefix##_kernel, grid[0], kernel_record, gridX);                                          \
    SAME(prefix##_kernel, grid[1], kernel_record, gridY);                                          \
    SAME(prefix##_kernel, grid[2], kernel_record, gridZ);                                          \
    SAME(prefix##_kernel, block[0], kernel_record, blockX);                                        \
    SAME(prefix##_kernel, block[1], kernel_record, blockY);                                        \
    SAME(prefix##_kernel, block[2], kernel_record, blockZ);                                        \
    WORK(SAME, prefix##_memcpy, memcpy_record);                                                    \
    SAME(prefix##_memcpy, copy_kind, memcpy_record, copyKind);                                     \
    SAME(prefix##_memcpy, bytes, memcpy_record, bytes);                                            \
    WORK(SAME, prefix##_##peer, peer_record);                                                      \
    SAME(prefix##_##peer, copy_kind, peer_record, copyKind);                                       \
    SAME(prefix##_##peer, bytes, peer_record, bytes);                                              \
    WORK(SAME, prefix##_memset, memset_record);                                                    \
    SAME(prefix##_memset, value, memset_record, value);                                            \
    SAME(prefix##_memset, bytes, memset_record, bytes);                                            \
    COMMON(SAME, prefix##_##synchronization, sync_record);                                         \
    SAME(prefix##_##synchronization, type, sync_record, type);                                     \
    SAME(prefix##_##synchronization, correlation, sync_record, correlationId);                     \
    COMMON(SAME, prefix##_graph_trace, graph_record);                                              \
    SAME(prefix##_graph_trace, device, graph_record, deviceId);                                    \
    SAME(prefix##_graph_trace, correlation, graph_record, correlationId);                          \
    SAME(prefix##_graph_trace, graph, graph_record, graphId)
#define CALLS(call, resource, id, uid)                                                             \
    SAME(call, site, CUpti_CallbackData, callbackSite);                                            \
    SAME(call, function, CUpti_CallbackData, functionName);                                        \
    SAME(call, params, CUpti_CallbackData, functionParams);                                        \
    SAME(call, result, CUpti_CallbackData, functionReturnValue);                                   \
    SAME(call, symbol, CUpti_CallbackData, symbolName);                                            \
    SAME(call, context, CUpti_CallbackData, context);                                              \
    SAME(call, uid, CUpti_CallbackData, contextUid);                                               \
    SAME(call, correlation_data, CUpti_CallbackData, correlationData);                             \
    SAME(call, id, CUpti_CallbackData, correlationId);                                             \
    SAME(resource, context, CUpti_ResourceData, context);                                          \
    SAME(resource, stream, CUpti_ResourceData, resourceHandle)

RECORDS(cupti, memcpy_peer, synchronization);
CALLS(cupti_call, cupti_resource, correlation_id, context_uid);
RECORDS(fake, memcpy2, sync);
SAME(cupti_memory_pool, kind, CUpti_ActivityMemoryPool2, kind);
SAME(cupti_memory_pool, operation, CUpti_ActivityMemoryPool2, memoryPoolOperationType);
SAME(cupti_memory_pool, correlation, CUpti_ActivityMemoryPool2, correlationId);
SAME(cupti_memory_pool, device, CUpti_ActivityMemoryPool2, deviceId);
SAME(cupti_memory_pool, least_kept, CUpti_ActivityMemoryPool2, minBytesToKeep);
SAME(cupti_memory_pool, address, CUpti_ActivityMemoryPool2, address);
SAME(cupti_memory_pool, size, CUpti_ActivityMemoryPool2, size);
SAME(cupti_memory_pool, time, CUpti_ActivityMemoryPool2, timestamp);
SAME(cupti_memory_pool, used, CUpti_ActivityMemoryPool2, utilizedSize);
CALLS(fake_callback_data, fake_resource_data, correlation, context_uid);
SAME(fake_module_data, module, CUpti_ModuleResourceData, moduleId);
SAME(fake_resource_data, descriptor, CUpti_ResourceData, resourceDescriptor);
_Static_assert(sizeof(CUpti_ActivityKind) == 4 && sizeof(CUpti_ActivityFlag) == 4,
               "enumerations have four bytes");

IS(CUPTI_OK, CUPTI_SUCCESS);
IS(CUPTI_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED);
IS(CUPTI_NOT_COMPATIBLE, CUPTI_ERROR_NOT_COMPATIBLE);
IS(CUPTI_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
IS(CUPTI_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
IS(CUPTI_INSUFFICIENT_PRIVILEGES_HYPERVISOR,
   CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
IS(CUPTI_OF_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
IS(CUPTI_OF_RESOURCES, CUPTI_CB_DOMAIN_RESOURCE);
IS(CUPTI_AT_ENTER, CUPTI_API_ENTER);
IS(CUPTI_AT_EXIT, CUPTI_API_EXIT);
IS(CUPTI_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
IS(CUPTI_CONTEXT_DESTROY_STARTING, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
IS(CUPTI_STREAM_DESTROY_STARTING, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING);
IS(CUPTI_MODULE_UNLOAD_STARTING, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
IS(CUPTI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
IS(CUPTI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
IS(CUPTI_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
IS(CUPTI_KERNEL, CUPTI_ACTIVITY_KIND_KERNEL);
IS(CUPTI_MEMCPY_PEER, CUPTI_ACTIVITY_KIND_MEMCPY2);
IS(CUPTI_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
IS(CUPTI_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
IS(CUPTI_MEMORY_POOL, CUPTI_ACTIVITY_KIND_MEMORY_POOL);
IS(CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

IS(FAKE_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED);
IS(FAKE_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED);
IS(FAKE_INVALID_PARAMETER, CUPTI_ERROR_INVALID_PARAMETER);
IS(FAKE_INVALID_CONTEXT, CUPTI_ERROR_INVALID_CONTEXT);
IS(FAKE_INVALID_OPERATION, CUPTI_ERROR_INVALID_OPERATION);
IS(FAKE_INVALID_STREAM, CUPTI_ERROR_INVALID_STREAM);
IS(FAKE_INVALID_KIND, CUPTI_ERROR_INVALID_KIND);
IS(FAKE_NOT_SUPPORTED, CUPTI_ERROR_NOT_SUPPORTED);
IS(FAKE_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
IS(FAKE_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
IS(FAKE_UNKNOWN, CUPTI_ERROR_UNKNOWN);
IS(FAKE_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
IS(FAKE_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
IS(FAKE_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
IS(FAKE_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
IS(FAKE_SYNC, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
IS(FAKE_GRAPH, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
IS(FAKE_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
IS(FAKE_RESOURCE, CUPTI_CB_DOMAIN_RESOURCE);
IS(FAKE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
IS(FAKE_CONTEXT_DESTROY, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
IS(FAKE_STREAM_CREATED, CUPTI_CBID_RESOURCE_STREAM_CREATED);
IS(FAKE_STREAM_DESTROY, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING);
IS(FAKE_INIT_FINISHED, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
IS(FAKE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_LOADED);
IS(FAKE_MODULE_UNLOAD, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
IS(FAKE_ENTER, CUPTI_API_ENTER);
IS(FAKE_EXIT, CUPTI_API_EXIT);
IS(FAKE_NO_STREAM, CUPTI_SYNCHRONIZATION_INVALID_VALUE);

/* The enumerations that events have of CUPTI are numbered as CUPTI's; see src/events/cuda.json. */
int main(void) {
#define KIND(name) printf("copy %d " #name "\n", CUPTI_ACTIVITY_MEMCPY_KIND_##name)
    KIND(UNKNOWN);
    KIND(HTOD);
    KIND(DTOH);
    KIND(HTOA);
    KIND(ATOH);
    KIND(ATOA);
    KIND(ATOD);
    KIND(DTOA);
    KIND(DTOD);
    KIND(HTOH);
    KIND(PTOP);
#define TYPE(name) printf("sync %d " #name "\n", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_##name)
    TYPE(UNKNOWN);
    TYPE(EVENT_SYNCHRONIZE);
    TYPE(STREAM_WAIT_EVENT);
    TYPE(STREAM_SYNCHRONIZE);
    TYPE(CONTEXT_SYNCHRONIZE);
/* Of the driver's functions: the callback's number, and where each parameter is. The test writes
 * calls.h. */
#define CALL(function) printf("call %d " #function "\n", CUPTI_DRIVER_TRACE_CBID_##function)
#define PARAMETER(function, member)                                                                \
    printf("parameter " #function " " #member " %zu %zu\n",                                        \
           offsetof(struct function##_params, member),                                             \
           sizeof(((struct function##_params *)0)->member))
#include "calls.h"
    return 0;
}
