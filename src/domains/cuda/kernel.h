/* Kernels: numbers for their names, explained by the event kernel_info. */
#ifndef PINSIGHT_CUDA_KERNEL_H
#define PINSIGHT_CUDA_KERNEL_H

#include <stdatomic.h>
#include <stdint.h>

struct pinsight_cuda_kernel {
    const char *name;                  /* as CUPTI has it; lives as long as the process */
    uint32_t number;                   /* from 1 */
    _Atomic uint32_t defined;          /* session version at which kernel_info was recorded last */
    struct pinsight_cuda_kernel *next; /* of the same bucket; under the lock */
};

/* The kernels that a thread met last, by the addresses of their names. */
#define PINSIGHT_CUDA_KERNEL_CACHE 256
struct pinsight_cuda_kernel_cache {
    uint32_t modules; /* how many were unloaded when the cache was filled: then addresses of names
                         may be those of others */
    struct {
        const char *name;
        struct pinsight_cuda_kernel *kernel;
    } at[PINSIGHT_CUDA_KERNEL_CACHE];
};

/* The kernel of that name, which is CUPTI's (NULL is a kernel without a name), its kernel_info
 * recorded where somebody listens. NULL when memory is short. Any thread, with its own cache. */
struct pinsight_cuda_kernel *pinsight_cuda_kernel(struct pinsight_cuda_kernel_cache *cache,
                                                  const char *name);

/* A module is unloaded, and with it names. Any thread. */
void pinsight_cuda_kernel_unloaded(void);

/* In a forked child: its lock may have been held. */
void pinsight_cuda_kernel_fork_child(void);

#endif
