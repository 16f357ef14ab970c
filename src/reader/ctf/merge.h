/* Brings the events of many streams into one order of time.
 *
 * A sink component with one port for each stream. Each port has an iterator of its own, so that a
 * stream which turns out to be damaged ends alone, and a heap orders the streams by their next
 * event. At one time definitions come first. */
#ifndef PINSIGHT_READER_CTF_MERGE_H
#define PINSIGHT_READER_CTF_MERGE_H

#include "reader/ctf/account.h"
#include "reader/ctf/bind.h"
#include "reader/ctf/repair.h"
#include "reader/ctf/source.h"

struct pinsight_stream {
    bt_message_iterator *iterator;
    bt_message_array_const messages;
    uint64_t count, next;             /* messages of the batch, and the one to look at */
    char *path;                       /* of its (first) file, once its first message came */
    struct pinsight_event event;      /* the stream's next one */
    uint64_t events;                  /* so far */
    struct pinsight_account *account; /* of the process whose stream it is; may be NULL */
    bool rank;                        /* 0 for a definition: goes first */
    bool failed;
    bool earlier;              /* definitions of an earlier chunk: only their names count */
    bool first_discards_known; /* what was discarded before its first packet ended is counted */
    bool discards_seen;        /* a message on discarded events came before */
    uint64_t discards;         /* since its first packet, as its packets have it */
    uint64_t most_discards;
};

struct pinsight_merge {
    const struct pinsight_source_options *options;
    struct pinsight_source_result *result;
    const struct pinsight_repair *repair;
    struct pinsight_bindings bindings;
    struct pinsight_stream *streams; /* one for each input port */
    size_t stream_count;
    struct pinsight_account *accounts; /* one for each of the graph's sources */
    struct pinsight_stream **heap;
    size_t heap_count;
    uint64_t most_events; /* of a stream: as many as the trace has bytes */
    bool started;
    bool ended_early; /* on_event asked for it */
};

/* The class of the sink; its initialisation data is a struct pinsight_merge with stream_count set,
 * which outlives the graph. NULL without memory. */
bt_component_class_sink *pinsight_merge_class(void);

void pinsight_merge_clear(struct pinsight_merge *merge);

#endif
