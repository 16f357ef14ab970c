/* Heaps of streams. The first stream comes before all others in some order. */
#ifndef PINSIGHT_READER_CTF_HEAP_H
#define PINSIGHT_READER_CTF_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct pinsight_stream;

typedef bool pinsight_heap_before(const struct pinsight_stream *a, const struct pinsight_stream *b);

/* Moves the stream at an index down to its place. */
static inline __attribute__((always_inline)) void pinsight_heap_sift(struct pinsight_stream **heap,
                                                                     size_t count, size_t at,
                                                                     pinsight_heap_before *before) {
    struct pinsight_stream *stream = heap[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= count)
            break;
        if (child + 1 < count && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], stream))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = stream;
}

#endif
