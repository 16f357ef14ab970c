/* Merges the events of many streams in the order of time. A heap has the streams by their next
 * event. At one time, definitions come first. On request, events that commute come earlier, so that
 * runs are long; see merge_limits.h. A decoder advances the streams. */
#ifndef PINSIGHT_READER_CTF_MERGE_H
#define PINSIGHT_READER_CTF_MERGE_H

#include "reader/ctf/account.h"
#include "reader/ctf/bind.h"
#include "reader/ctf/merge_limits.h"
#include "reader/ctf/packet.h"
#include "reader/ctf/ring.h"
#include "reader/ctf/run.h"
#include "reader/ctf/source.h"

/* The common part of all decoders' streams, at their start. */
struct pinsight_stream {
    struct pinsight_event event; /* the stream's next event */
    struct pinsight_ring *ring;  /* of the stream's process; may be NULL */
    uint32_t number;             /* index among the streams */
    bool rank;                   /* 0 for a definition, which goes first */
    bool failed;
    bool ended;
    bool earlier;                    /* definitions of an earlier chunk, for their names alone */
    struct pinsight_run_owner owner; /* see run.h */
    uint64_t discards;               /* since its first packet, by its packets */
    uint64_t most_discards;
    uint64_t merge_limit_ns; /* see merge_limits.h */
};

struct pinsight_merge {
    const struct pinsight_source_options *options;
    struct pinsight_source_result *result;
    /* Advances a stream to its next event, and sets the event and its rank. Returns false at the
     * end. */
    bool (*advance)(struct pinsight_merge *merge, struct pinsight_stream *stream);
    /* Decoded events of a stream: `run` sets all members of a run except its times, from the
     * present event on. `skip` passes over some of the events. `merge_limit` returns the time of
     * the first event that does not commute, else of the last event. NULL if events are decoded one
     * by one. */
    void (*run)(struct pinsight_stream *stream, struct pinsight_run *run);
    void (*skip)(struct pinsight_stream *stream, size_t count);
    uint64_t (*merge_limit)(struct pinsight_stream *stream);
    struct pinsight_bindings bindings;
    struct pinsight_stream **heap;
    size_t heap_count;
    struct pinsight_merge_limits limits;
    const bool *ended; /* that of the options, or one that stays false */
    bool ended_early;  /* on_event or `ended` asked for the end */
};

/* Begins with all streams, each at its first event. */
void pinsight_merge_start(struct pinsight_merge *merge, struct pinsight_stream **streams,
                          size_t count);

/* Passes on some events, and checks whether to stop. Returns false if no more will come. */
bool pinsight_merge_some(struct pinsight_merge *merge);

void pinsight_merge_clear(struct pinsight_merge *merge);

/* Returns whether events of a stream may be passed on in runs now. */
static inline bool pinsight_stream_gives_runs(const struct pinsight_stream *stream) {
    const struct pinsight_account *account = stream->event.account;

    return !stream->earlier && (!account || account->pid) && (!stream->ring || stream->ring->begun);
}

/* For decoders. */

/* Marks a stream as damaged and reports it. `name` is its file's. Takes ownership of `cause` (or
 * NULL). */
void pinsight_stream_fail(struct pinsight_merge *merge, struct pinsight_stream *stream,
                          const char *name, char *cause);

/* Returns whether later chunks refer to the names of an event. */
bool pinsight_merge_is_name(const struct pinsight_event *event);

/* Notes a stream's first packet, in the file `path`. */
void pinsight_stream_first(struct pinsight_merge *merge, const struct pinsight_stream *stream,
                           const char *path, struct pinsight_packets packets);

/* Adds the events that a stream discarded since its last packet. Packets have counts from the
 * session's start. On a busy machine, LTTng sometimes writes 0. The difference is then negative and
 * wraps, and the next difference compensates. A difference that is too large for any count is
 * handled in the same way. */
void pinsight_stream_discards(struct pinsight_merge *merge, struct pinsight_stream *stream,
                              uint64_t difference);

/* Notes that packets were overwritten: `count` of them, if `known`. */
void pinsight_stream_overwritten(struct pinsight_merge *merge, const struct pinsight_stream *stream,
                                 bool known, uint64_t count);

/* Notes the end of a packet. A packet is closed when it is full, and when the session stops. */
static inline void pinsight_stream_until(struct pinsight_merge *merge, uint64_t ns) {
    if (ns > merge->result->until_ns)
        merge->result->until_ns = ns;
}

#endif
