/*
 * Limits up to which the order between streams makes no difference.
 *
 * The begin and the end of a call change the stack of their thread, and add to sums. If the thread
 * has a stream of its own, such events of two streams commute: the result does not depend on their
 * order. All other events are fences: definitions, events that relate threads, and events with a
 * field for the thread. Events that are earlier than every stream's next fence can be taken stream
 * by stream. When a fence is taken, all earlier events have been taken.
 */
#ifndef PINSIGHT_READER_CTF_FENCES_H
#define PINSIGHT_READER_CTF_FENCES_H

#include <stddef.h>
#include <stdint.h>

struct pinsight_merge;
struct pinsight_stream;

/* The streams of a merge by their `fence_ns`: a time before which the stream has no fence. It is
 * updated only when it delays other streams. */
struct pinsight_fences {
    struct pinsight_stream **heap;
    size_t count;
};

void pinsight_fences_start(struct pinsight_fences *fences, struct pinsight_stream *const *streams,
                           size_t count);

/* Returns the time of the first fence, or of the first event that is not decoded yet. */
uint64_t pinsight_fences_first(struct pinsight_merge *merge);

void pinsight_fences_clear(struct pinsight_fences *fences);

#endif
