/*
 * The shared part of the CUDA domain. The domain observes CUDA's driver through CUPTI's callbacks,
 * and the work of devices through CUPTI's activity records.
 */
#ifndef PINSIGHT_CUDA_DOMAIN_H
#define PINSIGHT_CUDA_DOMAIN_H

#include "describe/cuda_kinds.h"
#include "tracer/core/calls.h"
#include "tracer/core/settings.h"
#include "tracer/cuda/autograd.h"
#include "tracer/cuda/kernel.h"
#include "tracer/cuda/stream.h"
#include "tracer/record/cuda.h"

/* The domain. Its own data of a thread is a struct pinsight_cuda_thread. */
extern struct pinsight_calls pinsight_cuda_domain;

/* The domain's data of a thread. */
struct pinsight_cuda_thread {
    uint32_t correlation; /* correlation of the open call; 0: none */
    uint32_t inside;      /* nested calls that the driver makes within it */
    struct pinsight_cuda_kernel_cache kernels;
    struct pinsight_cuda_stream_cache streams;
    struct pinsight_cuda_autograd_thread autograd;
};

static inline struct pinsight_cuda_thread *pinsight_cuda_thread(void) {
    return pinsight_calls_own(&pinsight_cuda_domain);
}

/* Registers the domain once. Returns 0, or -1 after a message; then nothing is recorded. Any
 * thread. */
int pinsight_cuda_register(void);

/* Returns whether the configuration selects a device ([CUDA.punit.device]). For hot paths. */
bool pinsight_cuda_device_wanted(uint32_t device);

#endif
