/* The merge of streams; see merge.h. */
#include "reader/ctf/merge.h"

#include "base/memory.h"
#include "reader/ctf/chunks.h"
#include "reader/ctf/heap.h"

#include <inttypes.h>
#include <stdlib.h>

/* More events than a stream can discard between two packets. */
#define MOST_DISCARDS (UINT64_C(1) << 48)
/* The number of events between two checks whether to stop. */
#define EVENTS_A_TURN 65536

void pinsight_stream_fail(struct pinsight_merge *merge, struct pinsight_stream *stream,
                          const char *name, char *cause) {
    stream->failed = true;
    if (!stream->earlier) {
        merge->result->damaged_streams++;
        pinsight_source_warn(merge->result,
                             pinsight_format("%s is damaged; what stands before the damage is "
                                             "reported (%s)",
                                             name, cause ? cause : "no cause given"));
    }
    free(cause);
}

static void count_discards(struct pinsight_merge *merge, const struct pinsight_stream *stream,
                           uint64_t count) {
    merge->result->discarded_events += count;
    if (stream->event.account)
        stream->event.account->discarded += count;
}

void pinsight_stream_first(struct pinsight_merge *merge, const struct pinsight_stream *stream,
                           const char *path, struct pinsight_packets packets) {
    if (packets.is_known && packets.first_sequence > 0) {
        merge->result->later_chunk = true;
        packets.first_discarded -= pinsight_chunks_discarded_before(path, &packets);
    }
    count_discards(merge, stream, packets.first_discarded);
}

void pinsight_stream_discards(struct pinsight_merge *merge, struct pinsight_stream *stream,
                              uint64_t difference) {
    uint64_t more;

    stream->discards += difference;
    more = stream->discards - stream->most_discards;
    if (more > 0 && more < MOST_DISCARDS) {
        count_discards(merge, stream, more);
        stream->most_discards = stream->discards;
    }
}

void pinsight_stream_overwritten(struct pinsight_merge *merge, const struct pinsight_stream *stream,
                                 bool known, uint64_t count) {
    if (stream->event.account)
        stream->event.account->unclear = true;
    if (known)
        merge->result->discarded_packets += count;
    else
        merge->result->unclear_discards = true;
}

static inline bool before(const struct pinsight_stream *a, const struct pinsight_stream *b) {
    if (a->event.ns != b->event.ns)
        return a->event.ns < b->event.ns;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->number < b->number;
}

static void sift_down(struct pinsight_merge *merge, size_t at) {
    pinsight_heap_sift(merge->heap, merge->heap_count, at, before);
}

void pinsight_merge_start(struct pinsight_merge *merge, struct pinsight_stream **streams,
                          size_t count) {
    static const bool never = false;

    merge->ended = merge->options->ended ? merge->options->ended : &never;
    merge->heap = pinsight_calloc(count, sizeof(struct pinsight_stream *));
    for (size_t i = 0; i < count; i++) {
        uint64_t *from_ns = &merge->result->from_ns;

        if (!merge->advance(merge, streams[i]))
            continue;
        merge->heap[merge->heap_count++] = streams[i];
        if (!streams[i]->earlier && (!*from_ns || streams[i]->event.ns < *from_ns))
            *from_ns = streams[i]->event.ns;
    }
    for (size_t i = merge->heap_count / 2; i-- > 0;)
        sift_down(merge, i);
    pinsight_merge_limits_start(&merge->limits, merge->heap, merge->heap_count);
}

bool pinsight_merge_is_name(const struct pinsight_event *event) {
    const struct reader_domain *domain = event->binding->domain;
    const enum pinsight_event_id *name = domain ? domain->names : NULL;

    while (name && *name != PINSIGHT_EVENT_UNKNOWN)
        if (*name++ == event->binding->id)
            return true;
    return false;
}

/* Passes on the present event of a stream. Returns the callback's result. */
static int hand_on(struct pinsight_merge *merge, struct pinsight_stream *stream) {
    const struct pinsight_source_options *options = merge->options;

    if (stream->earlier) {
        struct pinsight_event event = stream->event;

        event.earlier = event.partial = true;
        event.ns = 0;
        return pinsight_merge_is_name(&event) ? options->on_event(options->data, &event) : 0;
    }
    if (stream->ring && !stream->ring->begun) {
        if (!pinsight_ring_lets(stream->ring, &stream->event))
            return 0;
        int rc = stream->ring->begun
                     ? pinsight_ring_hand_on(stream->ring, options->on_event, options->data)
                     : 0;
        if (rc)
            return rc;
    }
    stream->event.partial = (stream->ring && stream->ring->is_part) || merge->result->later_chunk;
    merge->result->events++;
    if (stream->event.account)
        pinsight_account_add(stream->event.account, &stream->event);
    if (stream->event.binding->id != PINSIGHT_EVENT_UNKNOWN)
        merge->result->known_events++;
    return options->on_event(options->data, &stream->event);
}

/* Returns the stream after the first one of the heap, or NULL. */
static const struct pinsight_stream *second(const struct pinsight_merge *merge) {
    if (merge->heap_count < 2)
        return NULL;
    if (merge->heap_count > 2 && before(merge->heap[2], merge->heap[1]))
        return merge->heap[2];
    return merge->heap[1];
}

/* Passes on a run of the first stream, of at most `most` events. Returns the number of events
 * taken. The stream is then at the last of them. */
static size_t hand_on_run(struct pinsight_merge *merge, struct pinsight_stream *stream,
                          const struct pinsight_stream *next, size_t most) {
    const struct pinsight_source_options *options = merge->options;
    struct pinsight_account *account = stream->event.account;
    struct pinsight_run run;
    size_t count;

    if (!options->on_run || !merge->run || !pinsight_stream_gives_runs(stream))
        return 0;
    merge->run(stream, &run);
    run.before_ns = next ? next->event.ns : UINT64_MAX;
    if (run.count > most)
        run.count = most;
    run.ahead_ns = 0;
    if (options->ahead && stream->event.binding->commutes &&
        run.records[run.count - 1].ns >= run.before_ns)
        run.ahead_ns = pinsight_merge_limits_first(merge);
    run.ended = merge->ended;
    count = options->on_run(options->data, &run);
    if (!count)
        return 0;
    merge->skip(stream, count - 1);
    merge->result->events += count;
    merge->result->known_events += count;
    if (account)
        account->found += count;
    return count;
}

/* Passes on at most `count` events of the first stream, as long as it is the first. Returns their
 * number. The heap is in order afterwards. */
static unsigned take_run(struct pinsight_merge *merge, unsigned count) {
    struct pinsight_stream *stream = merge->heap[0];
    const struct pinsight_stream *next = second(merge);
    bool more = true;
    unsigned taken = 0;

    do {
        size_t run =
            stream->event.binding->in_runs ? hand_on_run(merge, stream, next, count - taken) : 0;

        if ((!run && hand_on(merge, stream) != 0) || *merge->ended) {
            merge->ended_early = true;
            return taken;
        }
        taken += run ? (unsigned)run : 1;
        more = merge->advance(merge, stream);
    } while (more && taken < count && (!next || before(stream, next)));
    if (!more) {
        stream->ended = true;
        merge->heap[0] = merge->heap[--merge->heap_count];
    }
    if (merge->heap_count)
        sift_down(merge, 0);
    return taken;
}

bool pinsight_merge_some(struct pinsight_merge *merge) {
    const struct pinsight_source_options *options = merge->options;

    for (unsigned taken = 0; taken < EVENTS_A_TURN && merge->heap_count;) {
        taken += take_run(merge, EVENTS_A_TURN - taken);
        if (merge->ended_early)
            return false;
    }
    if (options->stop && *options->stop) {
        merge->result->stopped = true;
        return false;
    }
    if (options->on_turn)
        options->on_turn(options->data, merge->result->events);
    return merge->heap_count > 0;
}

void pinsight_merge_clear(struct pinsight_merge *merge) {
    pinsight_bindings_clear(&merge->bindings);
    pinsight_merge_limits_clear(&merge->limits);
    free(merge->heap);
    *merge = (struct pinsight_merge){0};
}
