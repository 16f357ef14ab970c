/* Kernels: numbers for their names, which the event kernel_info explains. */
#ifndef PINSIGHT_CUDA_KERNEL_H
#define PINSIGHT_CUDA_KERNEL_H

#include <stdatomic.h>
#include <stdint.h>

struct pinsight_cuda_kernel {
    const char *name;                  /* CUPTI's name; lives as long as the process */
    uint32_t number;                   /* from 1 */
    _Atomic uint32_t defined;          /* session version that has kernel_info */
    struct pinsight_cuda_kernel *next; /* in the same bucket; under the lock */
};

/* The recent kernels of a thread, by the addresses of their names. */
#define PINSIGHT_CUDA_KERNEL_CACHE 256
struct pinsight_cuda_kernel_cache {
    /* count of unloaded modules when the cache was filled: an unloaded module's addresses are
     * reused */
    uint32_t modules;
    struct {
        const char *name;
        struct pinsight_cuda_kernel *kernel;
    } at[PINSIGHT_CUDA_KERNEL_CACHE];
};

/* Returns the kernel with a name, which is CUPTI's (NULL stands for a kernel without a name).
 * Records kernel_info if a session listens. Returns NULL if memory is short. Any thread, with its
 * own cache. */
struct pinsight_cuda_kernel *pinsight_cuda_kernel(struct pinsight_cuda_kernel_cache *cache,
                                                  const char *name);

/* Called when a module and its names are unloaded. Any thread. */
void pinsight_cuda_kernel_unloaded(void);

/* Resets the lock in a forked child. */
void pinsight_cuda_kernel_fork_child(void);

#endif
