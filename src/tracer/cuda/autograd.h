/*
 * PyTorch's backward passes. PyTorch's own threads, which run no Python, launch their kernels.
 * PyTorch numbers the operations of a forward pass in each thread. The node that a backward pass
 * evaluates has the number of its operation. Therefore the call path of a launch in the forward
 * pass is kept by that number, and a launch in the backward pass gets this call path.
 *
 * The code calls three functions of libtorch_cpu.so, which only read data of the calling thread:
 * at::sequence_number::peek(), at::RecordFunction::currentThreadId() and
 * torch::autograd::get_current_node(). It does nothing if one of them is missing, or with
 * PINSIGHT_PLAIN=1.
 */
#ifndef PINSIGHT_CUDA_AUTOGRAD_H
#define PINSIGHT_CUDA_AUTOGRAD_H

#include <stdint.h>

struct pinsight_cuda_autograd_thread {
    uint64_t kept;     /* the last operation with a kept path, plus 1 */
    uint32_t launches; /* number of launches before PyTorch was found */
};

/* Called when a thread launches work. `path` is its Python call path, 0 without Python. Returns the
 * path of the forward operation whose gradient the thread computes, or 0 if there is none or it is
 * unknown. Keeps errno. */
uint32_t pinsight_cuda_autograd(struct pinsight_cuda_autograd_thread *thread, uint32_t path);

/* Resets the state in a forked child, which has no threads of PyTorch. */
void pinsight_cuda_autograd_fork_child(void);

#endif
