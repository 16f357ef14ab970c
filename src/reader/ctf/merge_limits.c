/* Fences; see merge_limits.h. */
#include "reader/ctf/merge_limits.h"

#include "base/memory.h"
#include "reader/ctf/heap.h"
#include "reader/ctf/merge.h"

#include <stdlib.h>

void pinsight_merge_limits_start(struct pinsight_merge_limits *limits,
                                 struct pinsight_stream *const *streams, size_t count) {
    limits->heap = pinsight_calloc(count, sizeof(struct pinsight_stream *));
    limits->count = count;
    for (size_t i = 0; i < count; i++)
        limits->heap[i] = streams[i]; /* all at 0, so in order */
}

static bool before(const struct pinsight_stream *a, const struct pinsight_stream *b) {
    return a->merge_limit_ns < b->merge_limit_ns;
}

static uint64_t merge_limit_of(const struct pinsight_merge *merge, struct pinsight_stream *stream) {
    if (stream->ended)
        return UINT64_MAX;
    return pinsight_stream_gives_runs(stream) ? merge->merge_limit(stream) : stream->event.ns;
}

uint64_t pinsight_merge_limits_first(struct pinsight_merge *merge) {
    struct pinsight_merge_limits *limits = &merge->limits;

    for (;;) {
        struct pinsight_stream *first = limits->heap[0];
        uint64_t ns = merge_limit_of(merge, first);

        if (ns <= first->merge_limit_ns)
            return first->merge_limit_ns;
        first->merge_limit_ns = ns;
        pinsight_heap_sift(limits->heap, limits->count, 0, before);
    }
}

void pinsight_merge_limits_clear(struct pinsight_merge_limits *limits) {
    free(limits->heap);
    *limits = (struct pinsight_merge_limits){0};
}
