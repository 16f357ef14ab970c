/*
 * The CUDA domain: what its parts share. It observes CUDA's driver through CUPTI's callbacks, and
 * what devices do through CUPTI's activity records.
 */
#ifndef PINSIGHT_CUDA_DOMAIN_H
#define PINSIGHT_CUDA_DOMAIN_H

#include "core/calls.h"
#include "core/settings.h"
#include "describe/cuda_kinds.h"
#include "domains/cuda/autograd.h"
#include "domains/cuda/kernel.h"
#include "domains/cuda/stream.h"
#include "record/cuda.h"

/* The domain; its struct pinsight_calls_own is a struct pinsight_cuda_thread. */
extern struct pinsight_calls pinsight_cuda_domain;

/* What the domain keeps for a thread. */
struct pinsight_cuda_thread {
    uint32_t correlation; /* of the call that is open; 0 none */
    uint32_t inside;      /* calls of the driver by itself within that one */
    struct pinsight_cuda_kernel_cache kernels;
    struct pinsight_cuda_stream_cache streams;
    struct pinsight_cuda_autograd_thread autograd;
};

static inline struct pinsight_cuda_thread *pinsight_cuda_thread(void) {
    return pinsight_calls_own(&pinsight_cuda_domain);
}

/* Registers the domain, once; returns 0, or -1: nothing is recorded, and why was said. Any thread.
 */
int pinsight_cuda_register(void);

/* Is the device one of those that the configuration selects ([CUDA.punit.device])? For hot paths.
 */
bool pinsight_cuda_device_wanted(uint32_t device);

#endif
