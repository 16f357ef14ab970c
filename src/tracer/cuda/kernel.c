/* Kernels and their names; see kernel.h. */
#include "tracer/cuda/kernel.h"

#include "tracer/core/info.h"
#include "tracer/core/inline.h"
#include "tracer/core/process.h"
#include "tracer/record/cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024
/* The longest name that is kept, because an event must fit into a sub-buffer. */
#define LONGEST 4000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pinsight_cuda_kernel *buckets[BUCKETS]; /* under the lock */
static uint32_t count;                                /* under the lock */
static _Atomic uint32_t unloaded;

static struct pinsight_cuda_kernel **bucket_of(const char *name, size_t length) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001B3);
    return &buckets[(hash ^ hash >> 32) % BUCKETS];
}

static struct pinsight_cuda_kernel *make(struct pinsight_cuda_kernel **bucket, const char *name,
                                         size_t length) {
    struct pinsight_cuda_kernel *kernel = calloc(1, sizeof *kernel);
    char *copy = strndup(name, length);
    if (!kernel || !copy) {
        free(kernel);
        free(copy);
        return NULL;
    }
    kernel->name = copy;
    kernel->number = ++count;
    kernel->next = *bucket;
    return *bucket = kernel;
}

static struct pinsight_cuda_kernel *find(const char *name) {
    size_t length = strnlen(name, LONGEST);
    pthread_mutex_lock(&lock);
    struct pinsight_cuda_kernel **bucket = bucket_of(name, length), *kernel = *bucket;
    while (kernel && (strncmp(kernel->name, name, length) != 0 || kernel->name[length]))
        kernel = kernel->next;
    if (!kernel)
        kernel = make(bucket, name, length);
    pthread_mutex_unlock(&lock);
    return kernel;
}

static PINSIGHT_COLD void define(struct pinsight_cuda_kernel *kernel) {
    uint32_t session_version = pinsight_session_version();
    if (!pinsight_record_cuda_kernel_info_enabled())
        return;
    PINSIGHT_INFO_TIMED(
        pinsight_record_cuda_kernel_info(pinsight_process.pid, kernel->number, kernel->name));
    atomic_store_explicit(&kernel->defined, session_version, memory_order_relaxed);
}

struct pinsight_cuda_kernel *pinsight_cuda_kernel(struct pinsight_cuda_kernel_cache *cache,
                                                  const char *name) {
    uint32_t modules = atomic_load_explicit(&unloaded, memory_order_relaxed);
    if (!name || !*name)
        name = "?";
    if (PINSIGHT_UNLIKELY(cache->modules != modules)) {
        memset(cache, 0, sizeof *cache);
        cache->modules = modules;
    }
    size_t place = ((uintptr_t)name ^ (uintptr_t)name >> 8) % PINSIGHT_CUDA_KERNEL_CACHE;
    struct pinsight_cuda_kernel *kernel = cache->at[place].kernel;
    if (PINSIGHT_UNLIKELY(!kernel || cache->at[place].name != name)) {
        kernel = find(name);
        if (!kernel)
            return NULL;
        cache->at[place].name = name;
        cache->at[place].kernel = kernel;
    }
    if (PINSIGHT_UNLIKELY(atomic_load_explicit(&kernel->defined, memory_order_relaxed) !=
                          pinsight_session_version()))
        define(kernel);
    return kernel;
}

void pinsight_cuda_kernel_unloaded(void) {
    atomic_fetch_add(&unloaded, 1);
}

void pinsight_cuda_kernel_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
