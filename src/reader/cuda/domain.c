/* CUDA as a domain of the reader. */
#include "reader/domain.h"
#include "reader/cuda/cuda.h"
#include "reader/cuda/ingest.h"

/* Links may leave a track while calls wait for their records. */
static bool keeps_tracks(const struct pinsight_process *process) {
    return pinsight_process_cuda(process) != NULL;
}

static void unmatched(const struct pinsight_model *model, uint64_t *begins, uint64_t *ends) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(model);

    *begins = cuda ? cuda->unmatched_begins : 0;
    *ends = cuda ? cuda->unmatched_ends : 0;
}

const struct reader_domain reader_domain_cuda = {
    .table = "cuda",
    .name = "CUDA",
    .ingest = pinsight_ingest_cuda,
    .thread_of = pinsight_cuda_event_thread,
    .close = pinsight_cuda_close,
    .pause = pinsight_cuda_pause,
    .move = pinsight_cuda_move,
    .keeps_tracks = keeps_tracks,
    .end_process = pinsight_cuda_end_process,
    .unmatched = unmatched,
    .free_thread = pinsight_cuda_thread_free,
    .free = pinsight_cuda_free,
};
