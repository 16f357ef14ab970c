/* Registers CUDA as a domain of the reader. */
#include "reader/domain.h"
#include "reader/ctf/event.h"
#include "reader/cuda/cuda.h"
#include "reader/cuda/state.h"

/* Links may leave a track while calls wait for their records. */
static bool keeps_tracks(const struct pinsight_process *process) {
    const struct pinsight_cuda_process *cuda = pinsight_process_cuda(process);

    return cuda && (cuda->lists[0].count || cuda->lists[1].count);
}

static void move(struct pinsight_thread *from, struct pinsight_thread *to) {
    pinsight_chain_move(from, to, READER_CUDA);
}

static void profile(struct pinsight_thread *thread, const struct pinsight_event *event,
                    const struct pinsight_monitored *counted) {
    pinsight_cuda_count(thread->process,
                        pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_NAME), counted);
}

static const enum pinsight_event_id names[] = {
    PINSIGHT_EVENT_CUDA_KERNEL_INFO, PINSIGHT_EVENT_CUDA_DEVICE_INFO, PINSIGHT_EVENT_UNKNOWN};

READER_NATIVE_DOMAIN(cuda, "CUDA", pinsight_cuda, .names = names, .move = move,
                     .keeps_tracks = keeps_tracks, .end_process = pinsight_cuda_end_process,
                     .finish = pinsight_cuda_idle_finish);
