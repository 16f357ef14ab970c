/* The fake driver's own: how its functions begin and end, and what they put into streams. */
#ifndef FAKE_CUDA_DRIVER_H
#define FAKE_CUDA_DRIVER_H

#include "fake.h"

typedef int32_t CUresult;
typedef int32_t CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct fake_context *CUcontext;
typedef struct fake_stream *CUstream;
typedef struct fake_function *CUfunction;
typedef struct fake_module *CUmodule;
typedef struct fake_event *CUevent;
typedef struct fake_graph *CUgraph;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
};

struct fake_function {
    char *name;
};

struct fake_event {
    uint32_t id;
    uint64_t at;
};

#define FAKE_NODES_MAX 64

struct fake_graph {
    uint32_t id;
    unsigned count;
    struct fake_work nodes[FAKE_NODES_MAX];
};

/* Begins a call. Returns whether it is to do its work; else its result is an error already.
 * `stream` NULL is the current context's standard stream. */
bool fake_begin(struct fake_call *call, uint32_t cbid, const char *name, const void *params,
                const char *symbol, CUstream stream);
CUresult fake_end(struct fake_call *call);

/* Puts work of a duration into the call's stream, or into the graph that captures it. */
void fake_put(struct fake_call *call, struct fake_work *work, uint64_t duration);
void fake_put_graph(struct fake_call *call, const struct fake_graph *graph);

/* Waits as a call does, and records that; `type` as in the records. */
void fake_wait(struct fake_call *call, uint64_t until, uint32_t type, uint32_t stream,
               uint32_t event);
/* When all streams of the current context are done. */
uint64_t fake_all_done(CUcontext context);

void fake_resource(uint32_t cbid, CUcontext context, CUstream stream, void *descriptor);
CUcontext fake_current(void);
void fake_set_current(CUcontext context);
CUcontext fake_new_context(int device);
CUstream fake_new_stream(CUcontext context);
/* The driver is up in this process, with devices. */
bool fake_is_up(void);
int fake_devices(void);

/* The parameters of a function of the driver, as its call is told: a structure of them, in their
 * order. */
#define PARAMS(...) &(struct { __VA_ARGS__; })

#endif
