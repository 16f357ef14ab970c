/* Fences; see fences.h. */
#include "reader/ctf/fences.h"

#include "base/memory.h"
#include "reader/ctf/heap.h"
#include "reader/ctf/merge.h"

#include <stdlib.h>

void pinsight_fences_start(struct pinsight_fences *fences, struct pinsight_stream *const *streams,
                           size_t count) {
    fences->heap = pinsight_calloc(count, sizeof(struct pinsight_stream *));
    fences->count = count;
    for (size_t i = 0; i < count; i++)
        fences->heap[i] = streams[i]; /* all at 0, so in order */
}

static bool before(const struct pinsight_stream *a, const struct pinsight_stream *b) {
    return a->fence_ns < b->fence_ns;
}

static uint64_t fence_of(const struct pinsight_merge *merge, struct pinsight_stream *stream) {
    if (stream->ended)
        return UINT64_MAX;
    return pinsight_stream_gives_runs(stream) ? merge->fence(stream) : stream->event.ns;
}

uint64_t pinsight_fences_first(struct pinsight_merge *merge) {
    struct pinsight_fences *fences = &merge->fences;

    for (;;) {
        struct pinsight_stream *first = fences->heap[0];
        uint64_t ns = fence_of(merge, first);

        if (ns <= first->fence_ns)
            return first->fence_ns;
        first->fence_ns = ns;
        pinsight_heap_sift(fences->heap, fences->count, 0, before);
    }
}

void pinsight_fences_clear(struct pinsight_fences *fences) {
    free(fences->heap);
    *fences = (struct pinsight_fences){0};
}
