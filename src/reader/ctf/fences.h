/* Up to where the order between streams makes no difference.
 *
 * The begin and the end of a call change the stack of their thread, and add to sums. Where the
 * thread has its stream for itself, such events of two streams commute: whichever is taken first,
 * the same comes of both. All other events are fences: definitions, what relates threads, what
 * has a thread in each event. What is earlier than every stream's next fence can be taken stream by
 * stream, and when a fence is taken, all that is earlier was. */
#ifndef PINSIGHT_READER_CTF_FENCES_H
#define PINSIGHT_READER_CTF_FENCES_H

#include <stddef.h>
#include <stdint.h>

struct pinsight_merge;
struct pinsight_stream;

/* The streams of a merge by their `fence_ns`: a time before which each has no fence. It is looked
 * for anew only where it holds others up. */
struct pinsight_fences {
    struct pinsight_stream **heap;
    size_t count;
};

void pinsight_fences_start(struct pinsight_fences *fences, struct pinsight_stream *const *streams,
                           size_t count);

/* The time of the first fence, or of what is not decoded yet. */
uint64_t pinsight_fences_first(struct pinsight_merge *merge);

void pinsight_fences_clear(struct pinsight_fences *fences);

#endif
