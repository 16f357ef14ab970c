/* Brings the events of many streams into one order of time: a heap has the streams by their next
 * event. At one time definitions come first. Who asks for it gets events that commute earlier, so
 * that runs are long; see fences.h. Where the events come from is another's: a decoder moves its
 * streams on. */
#ifndef PINSIGHT_READER_CTF_MERGE_H
#define PINSIGHT_READER_CTF_MERGE_H

#include "reader/ctf/account.h"
#include "reader/ctf/bind.h"
#include "reader/ctf/fences.h"
#include "reader/ctf/packet.h"
#include "reader/ctf/ring.h"
#include "reader/ctf/run.h"
#include "reader/ctf/source.h"

/* What all decoders have of a stream, at the start of what they have. */
struct pinsight_stream {
    struct pinsight_event event; /* the stream's next one */
    struct pinsight_ring *ring;  /* of the process whose stream it is; may be NULL */
    uint32_t number;             /* its place among the streams */
    bool rank;                   /* 0 for a definition: goes first */
    bool failed;
    bool ended;
    bool earlier;                    /* definitions of an earlier chunk: only their names count */
    struct pinsight_run_owner owner; /* see run.h */
    uint64_t discards;               /* since its first packet, as its packets have it */
    uint64_t most_discards;
    uint64_t fence_ns; /* see fences.h */
};

struct pinsight_merge {
    const struct pinsight_source_options *options;
    struct pinsight_source_result *result;
    /* Moves a stream to its next event, which it sets, with its rank; false at its end. */
    bool (*advance)(struct pinsight_merge *merge, struct pinsight_stream *stream);
    /* The events of a stream that are decoded, from the one on that it is at: sets all but the
     * times of a run. And goes over some of them. And the time of the first that does not commute;
     * else of the last. NULL where events are decoded one by one. */
    void (*run)(struct pinsight_stream *stream, struct pinsight_run *run);
    void (*skip)(struct pinsight_stream *stream, size_t count);
    uint64_t (*fence)(struct pinsight_stream *stream);
    struct pinsight_bindings bindings;
    struct pinsight_stream **heap;
    size_t heap_count;
    struct pinsight_fences fences;
    const bool *ended; /* that of the options, or one that stays false */
    bool ended_early;  /* on_event asked for it, or who sets that */
};

/* Begins with all streams; each moves to its first event. */
void pinsight_merge_start(struct pinsight_merge *merge, struct pinsight_stream **streams,
                          size_t count);

/* Hands on some events, then looks whether it is to stop. False where no more will come. */
bool pinsight_merge_some(struct pinsight_merge *merge);

void pinsight_merge_clear(struct pinsight_merge *merge);

/* Whether events of a stream may be handed on in runs now. */
static inline bool pinsight_stream_gives_runs(const struct pinsight_stream *stream) {
    const struct pinsight_account *account = stream->event.account;

    return !stream->earlier && (!account || account->pid) && (!stream->ring || stream->ring->begun);
}

/* For decoders. */

/* Marks a stream as damaged and says so; `name` is its file's. Takes over cause (or NULL). */
void pinsight_stream_fail(struct pinsight_merge *merge, struct pinsight_stream *stream,
                          const char *name, char *cause);

/* Takes note of a stream's first packet, in the file `path`. */
void pinsight_stream_first(struct pinsight_merge *merge, const struct pinsight_stream *stream,
                           const char *path, struct pinsight_packets packets);

/* Adds what a stream discarded since its packet before. What the packets tell are counts since the
 * session's start; on a busy machine LTTng tells 0 in one between: then the difference is less than
 * 0, which wraps, and the next one makes good for it. So does it for one that is larger than any
 * count can be. */
void pinsight_stream_discards(struct pinsight_merge *merge, struct pinsight_stream *stream,
                              uint64_t difference);

/* Packets were overwritten: so many, where that is known. */
void pinsight_stream_overwritten(struct pinsight_merge *merge, const struct pinsight_stream *stream,
                                 bool known, uint64_t count);

/* So many packets of a stream are not in its file `name`, where they were. */
void pinsight_stream_lacks(struct pinsight_merge *merge, const struct pinsight_stream *stream,
                           const char *name, uint64_t count);

/* A packet ended. It is closed when it is full, and at last when the session stops. */
static inline void pinsight_stream_until(struct pinsight_merge *merge, uint64_t ns) {
    if (ns > merge->result->until_ns)
        merge->result->until_ns = ns;
}

#endif
