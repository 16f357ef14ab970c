/*
 * PyTorch's backward passes. Their kernels are launched by threads of PyTorch's own, which have no
 * Python. PyTorch numbers the operations of a forward pass in each thread; the node that a backward
 * pass evaluates has the number of its operation. So the call path of a launch in the forward pass
 * is kept under the number, and a launch in the backward pass is given it.
 *
 * Three functions of libtorch_cpu.so are called, all of which only read what the calling thread
 * has: at::sequence_number::peek(), at::RecordFunction::currentThreadId() and
 * torch::autograd::get_current_node(). Where one is missing, or with PINSIGHT_PLAIN=1, nothing is
 * done.
 */
#ifndef PINSIGHT_CUDA_AUTOGRAD_H
#define PINSIGHT_CUDA_AUTOGRAD_H

#include <stdint.h>

struct pinsight_cuda_autograd_thread {
    uint64_t kept;     /* the operation that this thread kept a path for last, and 1 */
    uint32_t launches; /* before PyTorch was found */
};

/* A thread launches work, by the Python call path `path`, 0 without Python. Returns the path of the
 * forward operation whose gradient the thread computes, 0 where it computes none or where that is
 * not known. Keeps errno. */
uint32_t pinsight_cuda_autograd(struct pinsight_cuda_autograd_thread *thread, uint32_t path);

/* In a forked child: threads of PyTorch's are not there. */
void pinsight_cuda_autograd_fork_child(void);

#endif
