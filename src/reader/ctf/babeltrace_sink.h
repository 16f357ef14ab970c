/*
 * The sink of a graph of libbabeltrace2, which merges its streams.
 *
 * It is a component with one port for each stream. Each port has an iterator of its own, so that
 * only a damaged stream ends early.
 */
#ifndef PINSIGHT_READER_CTF_BABELTRACE_SINK_H
#define PINSIGHT_READER_CTF_BABELTRACE_SINK_H

#include "reader/ctf/babeltrace_bind.h"
#include "reader/ctf/merge.h"
#include "reader/ctf/repair.h"

struct babeltrace_stream {
    struct pinsight_stream base; /* must be the first member */
    bt_message_iterator *iterator;
    bt_message_array_const messages;
    uint64_t count, next; /* number of messages in the batch; the next one to use */
    char *path;           /* path of its (first) file, after its first message */
    uint64_t events;      /* events so far */
    struct babeltrace_record record;
    bool first_discards_known; /* discarded events before the end of its first packet are counted */
    bool discards_seen;        /* a message about discarded events came before */
};

struct babeltrace_sink {
    struct pinsight_merge merge; /* must be the first member */
    const struct pinsight_repair *repair;
    struct babeltrace_classes classes;
    struct babeltrace_stream *streams; /* one for each input port */
    size_t stream_count;
    uint64_t most_events; /* limit for a stream: the bytes of the trace */
    bool started;
};

/* Returns the class of the sink, or NULL without memory. Its initialisation data is a struct
 * babeltrace_sink with stream_count set, which outlives the graph. */
bt_component_class_sink *babeltrace_sink_class(void);

void babeltrace_sink_clear(struct babeltrace_sink *sink);

#endif
