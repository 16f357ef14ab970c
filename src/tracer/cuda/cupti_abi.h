/*
 * The part of CUPTI's binary interface that the domain uses: numbers, and those parts of structures
 * that are equal in every version from CUDA 11.6 on. A later version adds members at the end of a
 * record, and never moves a member. Therefore one build works with every CUPTI, and needs no
 * headers of NVIDIA. Names are those of the documentation ("CUPTI Callback API", "CUPTI Activity
 * API") with another prefix. A test compares everything with the real headers.
 */
#ifndef PINSIGHT_CUDA_CUPTI_ABI_H
#define PINSIGHT_CUDA_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* ---- results (CUptiResult) ---- */

enum {
    CUPTI_OK = 0,
    CUPTI_NOT_INITIALIZED = 15,
    CUPTI_NOT_COMPATIBLE = 14,
    CUPTI_INSUFFICIENT_PRIVILEGES = 35,
    CUPTI_MULTIPLE_SUBSCRIBERS = 39,
    CUPTI_INSUFFICIENT_PRIVILEGES_HYPERVISOR = 40,
};

/* ---- callbacks ---- */

/* CUpti_CallbackDomain */
enum { CUPTI_OF_DRIVER = 1, CUPTI_OF_RESOURCES = 3 };

/* CUpti_ApiCallbackSite */
enum { CUPTI_AT_ENTER = 0, CUPTI_AT_EXIT = 1 };

/* CUpti_CallbackIdResource */
enum {
    CUPTI_CONTEXT_CREATED = 1,
    CUPTI_CONTEXT_DESTROY_STARTING = 2,
    CUPTI_STREAM_DESTROY_STARTING = 4,
    CUPTI_MODULE_UNLOAD_STARTING = 7,
};

/* CUpti_CallbackData */
struct cupti_call {
    int32_t site;
    const char *function;
    /* the arguments in order; arguments of at most four bytes share a word with the next one if
     * both fit */
    const uint64_t *params;
    const uint32_t *result; /* a CUresult; valid at the exit */
    const char *symbol;     /* the kernel of a launch */
    void *context;
    uint32_t context_uid;
    uint64_t *correlation_data;
    uint32_t correlation_id;
};

/* CUpti_ResourceData */
struct cupti_resource {
    void *context;
    void *stream; /* or another handle */
};

typedef void (*cupti_callback)(void *data, uint32_t domain, uint32_t id, const void *info);

/* ---- activities ---- */

/* CUpti_ActivityKind */
enum {
    CUPTI_MEMCPY = 1,
    CUPTI_MEMSET = 2,
    CUPTI_KERNEL = 3,
    CUPTI_CONCURRENT_KERNEL = 10,
    CUPTI_MEMCPY_PEER = 22,
    CUPTI_SYNCHRONIZATION = 38,
    CUPTI_MEMORY_POOL = 50,
    CUPTI_GRAPH_TRACE = 51,
};

/* CUpti_Activity, with which each record begins */
struct cupti_record {
    uint32_t kind;
};

/* CUpti_ActivityKernel9 and later */
struct cupti_kernel {
    uint32_t kind;
    uint8_t cache_config, shared_memory_config;
    uint16_t registers_per_thread;
    uint32_t partitioned_cache[2];
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared_memory, dynamic_shared_memory;
    uint32_t local_memory_per_thread, local_memory_total;
    uint32_t correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launch_type, is_shared_memory_carveout, shared_memory_carveout, padding;
    uint32_t shared_memory_executed;
    uint64_t graph_node;
    uint32_t shared_memory_limit;
    uint32_t graph;
};

/* CUpti_ActivityMemcpy5 and later */
struct cupti_memcpy {
    uint32_t kind;
    uint8_t copy_kind, source_kind, destination_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation, runtime_correlation, padding;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
};

/* CUpti_ActivityMemcpyPtoP4 and later */
struct cupti_memcpy_peer {
    uint32_t kind;
    uint8_t copy_kind, source_kind, destination_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream;
    uint32_t source_device, source_context, destination_device, destination_context;
    uint32_t correlation;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
};

/* CUpti_ActivityMemset4 and later */
struct cupti_memset {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memory_kind;
    uint32_t padding;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
};

/* CUpti_ActivitySynchronization and later */
struct cupti_synchronization {
    uint32_t kind, type;
    uint64_t start, end;
    uint32_t correlation, context, stream;
};

/* CUpti_ActivityGraphTrace and later */
struct cupti_graph_trace {
    uint32_t kind, correlation;
    uint64_t start, end;
    uint32_t device, graph, context, stream;
};

/* CUpti_ActivityMemoryPool2 and later */
struct cupti_memory_pool {
    uint32_t kind, operation, type, correlation, process, device;
    uint64_t least_kept, address, size, release_threshold, time, used;
};

typedef void (*cupti_buffer_requested)(uint8_t **buffer, size_t *size, size_t *most_records);
typedef void (*cupti_buffer_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                       size_t valid);
typedef uint64_t (*cupti_timestamp)(void);

/* ---- functions: F(name, parameters) returns a CUptiResult; the last ones may be missing ---- */

#define CUPTI_FUNCTIONS(F)                                                                         \
    F(cuptiGetVersion, (uint32_t * version))                                                       \
    F(cuptiSubscribe, (void **subscriber, cupti_callback callback, void *data))                    \
    F(cuptiUnsubscribe, (void *subscriber))                                                        \
    F(cuptiEnableCallback, (uint32_t enable, void *subscriber, uint32_t domain, uint32_t id))      \
    F(cuptiActivityEnable, (uint32_t kind))                                                        \
    F(cuptiActivityDisable, (uint32_t kind))                                                       \
    F(cuptiActivityRegisterCallbacks,                                                              \
      (cupti_buffer_requested requested, cupti_buffer_completed completed))                        \
    F(cuptiActivityGetNextRecord, (uint8_t * buffer, size_t valid, struct cupti_record * *record)) \
    F(cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *dropped))        \
    F(cuptiActivityFlushAll, (uint32_t flag))                                                      \
    F(cuptiGetTimestamp, (uint64_t * timestamp))                                                   \
    F(cuptiGetContextId, (void *context, uint32_t *id))                                            \
    F(cuptiGetDeviceId, (void *context, uint32_t *device))                                         \
    F(cuptiGetStreamIdEx, (void *context, void *stream, uint8_t per_thread, uint32_t *id))

#define CUPTI_LATER_FUNCTIONS(F)                                                                   \
    F(cuptiSubscribe_v2, (void **subscriber, cupti_callback callback, void *data, void *how))      \
    F(cuptiActivityRegisterTimestampCallback, (cupti_timestamp timestamp))                         \
    F(cuptiActivityFlushPeriod, (uint32_t milliseconds))                                           \
    F(cuptiGetResultString, (uint32_t result, const char **text))

/* CUPTI_ACTIVITY_FLAG_FLUSH_FORCED */
#define CUPTI_FLUSH_FORCED 1u

#endif
