/* Streams whose work becomes a graph, between cudaStreamBeginCapture and cudaStreamEndCapture. The
 * device does not do the work that is requested meanwhile, so there are no records of it. */
#include "reader/cuda/state.h"

static void drop(struct pinsight_cuda_process *cuda, size_t at) {
    cuda->captures[at] = cuda->captures[--cuda->capture_count];
}

void pinsight_cuda_capture(struct pinsight_process *process, const struct pinsight_thread *thread,
                           uint32_t context, uint32_t stream) {
    struct pinsight_cuda_process *cuda = pinsight_cuda_process_of(process);

    if (cuda->capture_count == PINSIGHT_CUDA_CAPTURES)
        drop(cuda, 0);
    cuda->captures[cuda->capture_count++] =
        (struct pinsight_cuda_capture){thread->tid, context, stream};
}

void pinsight_cuda_capture_failed(struct pinsight_process *process,
                                  const struct pinsight_thread *thread) {
    struct pinsight_cuda_process *cuda = pinsight_cuda_process_of(process);

    for (size_t i = cuda->capture_count; i-- > 0;)
        if (cuda->captures[i].tid == thread->tid) {
            drop(cuda, i);
            return;
        }
}

void pinsight_cuda_capture_ends(struct pinsight_process *process, uint32_t context,
                                uint32_t stream) {
    struct pinsight_cuda_process *cuda = pinsight_cuda_process_of(process);

    for (size_t i = cuda->capture_count; i-- > 0;)
        if (cuda->captures[i].context == context && cuda->captures[i].stream == stream)
            drop(cuda, i);
}

/* Other streams of the thread may have joined the capture. Other threads may request work in the
 * stream. */
bool pinsight_cuda_is_captured(const struct pinsight_process *process,
                               const struct pinsight_thread *thread, uint32_t context,
                               uint32_t stream) {
    const struct pinsight_cuda_process *cuda = pinsight_process_cuda(process);

    for (size_t i = 0; cuda && i < cuda->capture_count; i++) {
        const struct pinsight_cuda_capture *one = &cuda->captures[i];

        if (one->tid == thread->tid || (one->context == context && one->stream == stream))
            return true;
    }
    return false;
}
