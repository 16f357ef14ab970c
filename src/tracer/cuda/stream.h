/* Contexts and streams: CUPTI's numbers for the driver's handles, and the contexts' devices. */
#ifndef PINSIGHT_CUDA_STREAM_H
#define PINSIGHT_CUDA_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* The values for no stream (CUPTI_SYNCHRONIZATION_INVALID_VALUE) and no device. */
#define PINSIGHT_CUDA_NO_STREAM UINT32_MAX
#define PINSIGHT_CUDA_NO_DEVICE UINT32_MAX

/* The recent streams of a thread. */
#define PINSIGHT_CUDA_STREAM_CACHE 32
struct pinsight_cuda_stream_cache {
    /* count of ended streams and contexts when the cache was filled, because handles are reused */
    uint32_t ended;
    struct {
        void *context, *handle;
        uint32_t number;
        bool per_thread;
    } at[PINSIGHT_CUDA_STREAM_CACHE];
};

/* Returns CUPTI's number of a stream. With `per_thread`, the handle 0 is the calling thread's own
 * default stream. Any thread, with its own cache. */
uint32_t pinsight_cuda_stream(struct pinsight_cuda_stream_cache *cache, void *context, void *handle,
                              bool per_thread);

/* Returns the device of a context, or PINSIGHT_CUDA_NO_DEVICE if it is unknown. `uid` is CUPTI's
 * number of the context. Records device_info once for each session. Any thread. */
uint32_t pinsight_cuda_device(void *context, uint32_t uid);

/* Called when a context is made, and when a record names the device of a context. The second
 * function records device_info once for each session. Any thread. */
void pinsight_cuda_context_made(void *context);
void pinsight_cuda_context_on(uint32_t uid, uint32_t device);

/* Called when a stream or a context ends. Any thread. */
void pinsight_cuda_stream_ended(void);

#endif
