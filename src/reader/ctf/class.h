/* What a described trace means for its bytes: where in packets and events each thing stands.
 *
 * Known are byte-aligned, little-endian fields behind packet heads and event heads of the forms
 * that LTTng-UST and PInsight write. All else is refused, and has to be read by other means. */
#ifndef PINSIGHT_READER_CTF_CLASS_H
#define PINSIGHT_READER_CTF_CLASS_H

#include "reader/ctf/bind.h"
#include "reader/ctf/tsdl.h"

/* Segments of one event; see event.h. */
#define CTF_MOST_SEGMENTS 64

enum ctf_head {
    CTF_PLAIN,   /* a number and a time of fixed sizes */
    CTF_COMPACT, /* 5 bits of number and 27 of time; or 31, and then 32 and 64 bits */
    CTF_LARGE,   /* 16 bits of number and 32 of time; or 65535, and then 32 and 64 bits */
};

/* What ends a segment of an event. */
struct ctf_step {
    uint32_t skip;               /* bytes before it */
    uint32_t element;            /* bytes of a sequence's elements; 0 of a text */
    struct pinsight_slot length; /* of a sequence */
};

struct ctf_class {
    uint32_t size; /* bytes behind its last segment, or all where it has no step */
    uint32_t step_count;
    const struct ctf_step *steps;
    const struct tsdl_event *event;
};

/* A kind of stream: packets with a context, and events. */
struct ctf_stream_class {
    const struct tsdl_stream *stream;
    uint32_t head_size;                               /* bytes of a packet before its events */
    struct pinsight_slot begin, end, content, packet; /* from the packet's begin on */
    struct pinsight_slot sequence, discarded, vpid, vtid;
    enum ctf_head head;
    uint32_t plain_size; /* of events' heads, CTF_PLAIN */
    struct pinsight_slot plain_id, plain_time;
    struct ctf_class *classes; /* by number; without an event where there is none */
    size_t class_count;
    struct pinsight_binding **bindings; /* likewise; NULL before the first event */
};

struct ctf_trace {
    struct tsdl tsdl;
    char *text; /* that tsdl refers to */
    bool has_clock;
    struct pinsight_clock clock;
    struct pinsight_clock_point *points;          /* by which it is corrected; NULL: it is not */
    struct pinsight_slot magic, stream, instance; /* in heads of packets */
    bool has_uuid;
    uint32_t uuid_at;
    struct ctf_stream_class *streams;
    size_t stream_count;
    struct ctf_step *steps;
    size_t step_count, step_capacity;
};

/* Takes a trace's metadata, as text, which it takes over. Returns NULL, or why it is refused
 * (static text). Clear it in both cases. */
const char *ctf_trace_make(struct ctf_trace *trace, char *text);

void ctf_trace_clear(struct ctf_trace *trace);

/* A stream's class by its number; NULL without one. */
struct ctf_stream_class *ctf_stream_class_of(const struct ctf_trace *trace, uint64_t number);

/* Makes the binding of a class, at its first event. */
void ctf_class_bind(const struct ctf_trace *trace, const struct ctf_stream_class *stream,
                    size_t number, struct pinsight_bindings *bindings);

#endif
