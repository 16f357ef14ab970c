/* Contexts and streams: CUPTI's numbers of what the driver has handles for, and the devices. */
#ifndef PINSIGHT_CUDA_STREAM_H
#define PINSIGHT_CUDA_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* What stands for no stream (CUPTI_SYNCHRONIZATION_INVALID_VALUE), and for no device. */
#define PINSIGHT_CUDA_NO_STREAM UINT32_MAX
#define PINSIGHT_CUDA_NO_DEVICE UINT32_MAX

/* The streams that a thread met last. */
#define PINSIGHT_CUDA_STREAM_CACHE 32
struct pinsight_cuda_stream_cache {
    uint32_t ended; /* streams and contexts that ended when the cache was filled: handles are used
                       again */
    struct {
        void *context, *handle;
        uint32_t number;
        bool per_thread;
    } at[PINSIGHT_CUDA_STREAM_CACHE];
};

/* CUPTI's number of a stream. `per_thread`: the handle 0 is the calling thread's own default
 * stream. Any thread, with its own cache. */
uint32_t pinsight_cuda_stream(struct pinsight_cuda_stream_cache *cache, void *context, void *handle,
                              bool per_thread);

/* The device of a context, whose number `uid` is CUPTI's; PINSIGHT_CUDA_NO_DEVICE where it is not
 * known. Records device_info at the first time, and again for another session. Any thread. */
uint32_t pinsight_cuda_device(void *context, uint32_t uid);

/* A context is made, or a record tells which device a context is on. The second one records
 * device_info likewise. Any thread. */
void pinsight_cuda_context_made(void *context);
void pinsight_cuda_context_on(uint32_t uid, uint32_t device);

/* A stream or a context ends. Any thread. */
void pinsight_cuda_stream_ended(void);

#endif
