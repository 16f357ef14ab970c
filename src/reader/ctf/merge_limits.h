/*
 * Limits up to which the order between streams makes no difference.
 *
 * The begin and the end of a call change the stack of their thread, and add to sums. If the thread
 * has a stream of its own, such events of two streams commute: the result does not depend on their
 * order. All other events are merge limits: definitions, events that relate threads, and events
 * with a field for the thread. Events that are earlier than every stream's next merge limit can be
 * taken stream by stream. When a merge limit is taken, all earlier events have been taken.
 */
#ifndef PINSIGHT_READER_CTF_MERGE_LIMITS_H
#define PINSIGHT_READER_CTF_MERGE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

struct pinsight_merge;
struct pinsight_stream;

/* The streams of a merge by their `merge_limit_ns`: a time before which the stream has no merge
 * limit. It is updated only when it delays other streams. */
struct pinsight_merge_limits {
    struct pinsight_stream **heap;
    size_t count;
};

void pinsight_merge_limits_start(struct pinsight_merge_limits *limits,
                                 struct pinsight_stream *const *streams, size_t count);

/* Returns the time of the first merge limit, or of the first event that is not decoded yet. */
uint64_t pinsight_merge_limits_first(struct pinsight_merge *merge);

void pinsight_merge_limits_clear(struct pinsight_merge_limits *limits);

#endif
