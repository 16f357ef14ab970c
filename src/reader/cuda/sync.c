/* Calls that waited for devices: when they returned, all work that the same thread had requested
 * before was done. They serve to compare devices' times with the events' clock. */
#include "reader/cuda/state.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The most waits that are kept for a stream, the last ones; and the most streams. */
#define MOST_SYNCS 8192
#define MOST_STREAMS 4096
/* The most waits of other threads that a search passes. */
#define MOST_OTHERS 16

void pinsight_cuda_sync_begins(struct pinsight_process *process,
                               const struct pinsight_thread *thread, uint32_t context,
                               uint32_t stream, uint64_t ns) {
    struct pinsight_cuda_process *cuda = pinsight_cuda_process_of(process);

    if (cuda->waiting_count == PINSIGHT_CUDA_OPEN_SYNCS)
        memmove(cuda->waiting, cuda->waiting + 1, --cuda->waiting_count * sizeof(*cuda->waiting));
    cuda->waiting[cuda->waiting_count++] = (struct pinsight_cuda_sync){
        .begin_ns = ns, .tid = thread->tid, .context = context, .stream = stream};
}

static void keep(struct pinsight_cuda_process *cuda, const struct pinsight_cuda_sync *sync) {
    uint32_t at = pinsight_map_get(&cuda->sync_map, sync->context, sync->stream, 0);
    struct pinsight_cuda_syncs *syncs;

    if (at == PINSIGHT_MAP_NONE) {
        if (cuda->sync_count == MOST_STREAMS)
            return;
        at = (uint32_t)cuda->sync_count;
        pinsight_map_set(&cuda->sync_map, sync->context, sync->stream, 0, at);
        *PINSIGHT_ADD(cuda->syncs, cuda->sync_count, cuda->sync_capacity) =
            (struct pinsight_cuda_syncs){0};
    }
    syncs = &cuda->syncs[at];
    if (syncs->count == MOST_SYNCS) {
        syncs->count /= 2;
        memcpy(syncs->done, syncs->done + syncs->count, syncs->count * sizeof(*syncs->done));
    }
    *PINSIGHT_ADD(syncs->done, syncs->count, syncs->capacity) = *sync;
}

void pinsight_cuda_sync_ends(struct pinsight_process *process, const struct pinsight_thread *thread,
                             bool waited, uint64_t ns) {
    struct pinsight_cuda_process *cuda = pinsight_cuda_process_of(process);

    for (size_t i = cuda->waiting_count; i-- > 0;) {
        struct pinsight_cuda_sync sync = cuda->waiting[i];

        if (sync.tid != thread->tid)
            continue;
        memmove(&cuda->waiting[i], &cuda->waiting[i + 1],
                (--cuda->waiting_count - i) * sizeof(*cuda->waiting));
        sync.end_ns = ns;
        if (waited)
            keep(cuda, &sync);
        return;
    }
}

/* Returns the end of the first wait for a stream that a thread began after a time. */
static uint64_t first_end(const struct pinsight_cuda_process *cuda, uint32_t context,
                          uint32_t stream, uint32_t tid, uint64_t after_ns) {
    uint32_t at = pinsight_map_get(&cuda->sync_map, context, stream, 0);
    const struct pinsight_cuda_syncs *syncs;
    size_t low = 0, high, last;

    if (at == PINSIGHT_MAP_NONE)
        return UINT64_MAX;
    syncs = &cuda->syncs[at];
    for (high = syncs->count; low < high;) {
        size_t middle = low + (high - low) / 2;

        if (syncs->done[middle].end_ns <= after_ns)
            low = middle + 1;
        else
            high = middle;
    }
    last = low + MOST_OTHERS < syncs->count ? low + MOST_OTHERS : syncs->count;
    for (; low < last; low++)
        if (syncs->done[low].tid == tid && syncs->done[low].begin_ns >= after_ns)
            return syncs->done[low].end_ns;
    return UINT64_MAX;
}

uint64_t pinsight_cuda_done_by(const struct pinsight_process *process, uint32_t context,
                               uint32_t stream, const struct pinsight_cuda_request *call) {
    const struct pinsight_cuda_process *cuda = pinsight_process_cuda(process);
    uint64_t of_stream, of_all;

    if (!call->tid)
        return UINT64_MAX;
    of_stream = first_end(cuda, context, stream, call->tid, call->from_ns);
    of_all = first_end(cuda, context, PINSIGHT_CUDA_NO_STREAM, call->tid, call->from_ns);
    return of_stream < of_all ? of_stream : of_all;
}

void pinsight_cuda_sync_clear(struct pinsight_cuda_process *cuda) {
    for (size_t i = 0; i < cuda->sync_count; i++)
        free(cuda->syncs[i].done);
    free(cuda->syncs);
    pinsight_map_clear(&cuda->sync_map);
}
