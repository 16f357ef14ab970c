/* The sink of a graph of libbabeltrace2, which merges its streams.
 *
 * A sink component with one port for each stream. Each port has an iterator of its own, so that a
 * stream which turns out to be damaged ends alone. */
#ifndef PINSIGHT_READER_CTF_BABELTRACE_SINK_H
#define PINSIGHT_READER_CTF_BABELTRACE_SINK_H

#include "reader/ctf/babeltrace_bind.h"
#include "reader/ctf/merge.h"
#include "reader/ctf/repair.h"

struct babeltrace_stream {
    struct pinsight_stream base; /* first */
    bt_message_iterator *iterator;
    bt_message_array_const messages;
    uint64_t count, next; /* messages of the batch, and the one to look at */
    char *path;           /* of its (first) file, once its first message came */
    uint64_t events;      /* so far */
    struct babeltrace_record record;
    bool first_discards_known; /* what was discarded before its first packet ended is counted */
    bool discards_seen;        /* a message on discarded events came before */
};

struct babeltrace_sink {
    struct pinsight_merge merge; /* first */
    const struct pinsight_repair *repair;
    struct babeltrace_classes classes;
    struct babeltrace_stream *streams; /* one for each input port */
    size_t stream_count;
    uint64_t most_events; /* of a stream: as many as the trace has bytes */
    bool started;
};

/* The class of the sink; its initialisation data is a struct babeltrace_sink with stream_count set,
 * which outlives the graph. NULL without memory. */
bt_component_class_sink *babeltrace_sink_class(void);

void babeltrace_sink_clear(struct babeltrace_sink *sink);

#endif
