/*
 * What CUPTI hands over, as this fake has it: the parts of NVIDIA's binary interface that are the
 * same from CUDA 12 to 13. Own declarations, apart from the recorder's, so that neither follows a
 * mistake of the other; tests/integration/test_cuda_abi.py compares both with NVIDIA's headers.
 */
#ifndef FAKE_CUPTI_ABI_H
#define FAKE_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

enum fake_result {
    FAKE_SUCCESS = 0,
    FAKE_INVALID_PARAMETER = 1,
    FAKE_INVALID_CONTEXT = 3,
    FAKE_INVALID_OPERATION = 7,
    FAKE_MAX_LIMIT_REACHED = 12,
    FAKE_NOT_INITIALIZED = 15,
    FAKE_INVALID_STREAM = 20,
    FAKE_INVALID_KIND = 21,
    FAKE_NOT_SUPPORTED = 27,
    FAKE_INSUFFICIENT_PRIVILEGES = 35,
    FAKE_MULTIPLE_SUBSCRIBERS = 39,
    FAKE_UNKNOWN = 999,
};

enum fake_kind {
    FAKE_MEMCPY = 1,
    FAKE_MEMSET = 2,
    FAKE_KERNEL = 10,
    FAKE_MEMCPY2 = 22,
    FAKE_SYNC = 38,
    FAKE_GRAPH = 51,
    FAKE_KINDS = 256,
    FAKE_STRANGE = 240, /* a kind that nobody knows */
};

enum fake_domain { FAKE_DRIVER = 1, FAKE_RESOURCE = 3, FAKE_DOMAINS = 7, FAKE_CBIDS = 1024 };

enum fake_resource {
    FAKE_CONTEXT_CREATED = 1,
    FAKE_CONTEXT_DESTROY = 2,
    FAKE_STREAM_CREATED = 3,
    FAKE_STREAM_DESTROY = 4,
    FAKE_INIT_FINISHED = 5,
    FAKE_MODULE_LOADED = 6,
    FAKE_MODULE_UNLOAD = 7,
};

enum { FAKE_ENTER = 0, FAKE_EXIT = 1, FAKE_NO_STREAM = UINT32_MAX };

struct fake_callback_data {
    uint32_t site;
    const char *function;
    const void *params;
    void *result;
    const char *symbol;
    void *context;
    uint32_t context_uid;
    uint64_t *correlation_data;
    uint32_t correlation;
};

struct fake_resource_data {
    void *context;
    void *stream;
    void *descriptor;
};

struct fake_module_data {
    uint32_t module;
    size_t size;
    const char *image;
};

/* A kernel's record is 208 bytes in CUDA 12.9, 216 in 13.0 and 248 in 13.5; what is in it is at the
 * same places. */
struct __attribute__((packed, aligned(8))) fake_kernel {
    uint32_t kind;
    uint8_t cache_config[12];
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared, dynamic_shared;
    uint32_t local_per_thread, local_total;
    uint32_t correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t attributes[8];
    uint64_t graph_node;
    uint32_t shared_carveout;
    uint32_t graph;
    uint8_t rest[56];
};

struct __attribute__((packed, aligned(8))) fake_memcpy {
    uint32_t kind;
    uint8_t copy_kind, source_kind, target_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream;
    uint32_t correlation, runtime_correlation, pad;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
    uint8_t rest[20];
};

struct __attribute__((packed, aligned(8))) fake_memcpy2 {
    uint32_t kind;
    uint8_t copy_kind, source_kind, target_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream;
    uint32_t source_device, source_context, target_device, target_context;
    uint32_t correlation;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
    uint8_t rest[12];
};

struct __attribute__((packed, aligned(8))) fake_memset {
    uint32_t kind;
    uint32_t value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream;
    uint32_t correlation;
    uint16_t flags, memory_kind;
    uint32_t pad;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
    uint8_t rest[12];
};

struct __attribute__((packed, aligned(8))) fake_sync {
    uint32_t kind;
    uint32_t type;
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
    uint8_t rest[16];
};

struct __attribute__((packed, aligned(8))) fake_graph_trace {
    uint32_t kind;
    uint32_t correlation;
    uint64_t start, end;
    uint32_t device, graph, context, stream;
    void *reserved;
    uint32_t end_device, end_context;
};

/* `bytes` is its own size. */
struct fake_strange {
    uint32_t kind, bytes;
    uint64_t content[4];
};

typedef void (*fake_callback)(void *user, uint32_t domain, uint32_t cbid, const void *data);
typedef void (*fake_buffer_requested)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*fake_buffer_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                      size_t valid);
typedef uint64_t (*fake_timestamp)(void);

#endif
