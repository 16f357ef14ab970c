/* Contexts, streams and devices; see stream.h. */
#include "tracer/cuda/stream.h"

#include "tracer/core/inline.h"
#include "tracer/cuda/cupti.h"
#include "tracer/cuda/device.h"

#include <stdatomic.h>
#include <string.h>

/* The number of contexts whose devices are kept. */
#define CONTEXTS 256

static _Atomic uint32_t ended;
/* By the context's number: the device plus 1. CUPTI does not reuse numbers. */
static _Atomic uint32_t devices[CONTEXTS];

uint32_t pinsight_cuda_stream(struct pinsight_cuda_stream_cache *cache, void *context, void *handle,
                              bool per_thread) {
    uint32_t now = atomic_load_explicit(&ended, memory_order_relaxed), number;
    if (PINSIGHT_UNLIKELY(cache->ended != now)) {
        memset(cache, 0, sizeof *cache);
        cache->ended = now;
    }
    size_t place = ((uintptr_t)handle / 16 ^ (uintptr_t)context / 64) % PINSIGHT_CUDA_STREAM_CACHE;
    if (PINSIGHT_LIKELY(context && cache->at[place].context == context &&
                        cache->at[place].handle == handle &&
                        cache->at[place].per_thread == per_thread))
        return cache->at[place].number;
    if (!context ||
        pinsight_cupti.cuptiGetStreamIdEx(context, handle, per_thread, &number) != CUPTI_OK)
        return PINSIGHT_CUDA_NO_STREAM;
    cache->at[place].context = context;
    cache->at[place].handle = handle;
    cache->at[place].per_thread = per_thread;
    cache->at[place].number = number;
    return number;
}

static void remember(uint32_t uid, uint32_t device) {
    if (uid < CONTEXTS)
        atomic_store_explicit(&devices[uid], device + 1, memory_order_relaxed);
}

static PINSIGHT_COLD uint32_t look(void *context, uint32_t uid) {
    uint32_t device;
    if (!context || pinsight_cupti.cuptiGetDeviceId(context, &device) != CUPTI_OK)
        return PINSIGHT_CUDA_NO_DEVICE;
    remember(uid, device);
    return device;
}

uint32_t pinsight_cuda_device(void *context, uint32_t uid) {
    uint32_t known = uid < CONTEXTS ? atomic_load_explicit(&devices[uid], memory_order_relaxed) : 0;
    uint32_t device = PINSIGHT_LIKELY(known) ? known - 1 : look(context, uid);
    if (device != PINSIGHT_CUDA_NO_DEVICE)
        pinsight_cuda_device_define(device);
    return device;
}

void pinsight_cuda_context_made(void *context) {
    uint32_t uid;
    if (pinsight_cupti.cuptiGetContextId(context, &uid) == CUPTI_OK)
        look(context, uid);
}

void pinsight_cuda_context_on(uint32_t uid, uint32_t device) {
    remember(uid, device);
    pinsight_cuda_device_define(device);
}

void pinsight_cuda_stream_ended(void) {
    atomic_fetch_add(&ended, 1);
}
