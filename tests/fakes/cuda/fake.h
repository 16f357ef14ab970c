/*
 * What the fake driver (libcuda.so.1) and the fake CUPTI (libcupti.so.12 and its like) share. Both
 * are of tests only. A device is a model: what is put into a stream begins when what is before it
 * is done, and takes a time that follows from its size. Nothing is computed, and no memory is
 * copied.
 *
 * Both write what they do into the file $FAKE_CUDA_LOG, a line each: a word and then KEY=VALUE. So
 * a test knows what a recorder was told without asking it.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_abi.h"

#define FAKE_API __attribute__((visibility("default")))

struct fake_context {
    uint32_t uid;
    int device;
    bool is_gone;
    uint32_t next_stream;
    struct fake_stream *standard; /* what NULL stands for */
};

struct fake_stream {
    uint32_t id;
    bool is_gone;
    struct fake_context *context;
    uint64_t free_at; /* when all that is in it is done */
    struct fake_graph *captured;
};

/* A call of the driver. `symbol`: the kernel of a launch. */
struct fake_call {
    uint32_t cbid, correlation;
    const char *name, *symbol;
    const void *params;
    int32_t result;
    struct fake_context *context;
    struct fake_stream *stream;
    uint64_t bytes, address;
    uint64_t entered;
    uint64_t data; /* the tool's, from enter to exit */
};

/* What a device does, or a thread that waits for it. Times are CLOCK_MONOTONIC's. */
struct fake_work {
    uint32_t kind; /* enum fake_kind */
    uint32_t correlation, device, context, stream;
    uint64_t start, end;
    uint64_t bytes;
    uint32_t what; /* kind of the copy or of the waiting, value of the memset */
    uint32_t grid[3], block[3], shared;
    uint32_t event;
    const char *name;
    uint32_t graph;
    uint64_t graph_node;
};

/* The fake CUPTI to the driver. */
struct fake_tool {
    void (*enter)(struct fake_call *call);
    void (*exit)(struct fake_call *call);
    void (*resource)(uint32_t cbid, struct fake_context *context, struct fake_stream *stream,
                     void *descriptor);
    void (*work)(const struct fake_work *work);
};

/* Of the driver, for the fake CUPTI and for programs. The correlation is that of the calling
 * thread's last call. */
FAKE_API void fake_cuda_set_tool(const struct fake_tool *tool);
FAKE_API uint32_t fake_cuda_correlation(void);
FAKE_API bool fake_cuda_is_forked(void);

/* options.c, in both. `variable` is FAKE_CUDA or FAKE_CUPTI, a list `name,name=value`: the value of
 * `name`, 1 where it has none, -1 where it is not there. */
long fake_option(const char *variable, const char *name);
uint64_t fake_now(void);
void fake_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
