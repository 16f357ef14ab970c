/*
 * The layout of a described trace: the position of each field in packets and events.
 *
 * The supported fields have whole bytes, and stand at any address or at the natural one, as
 * LTTng-UST writes them on some processors. Numbers with their most significant byte first are
 * skipped. The supported heads of packets and events are those of LTTng-UST and PInsight. A stream
 * ends at an event with another form.
 */
#ifndef PINSIGHT_READER_CTF_CLASS_H
#define PINSIGHT_READER_CTF_CLASS_H

#include "reader/ctf/bind.h"
#include "reader/ctf/tsdl.h"

/* The most segments of an event; see event.h. */
#define CTF_MOST_SEGMENTS 64

enum ctf_head {
    CTF_PLAIN,           /* a number and a time of fixed sizes */
    CTF_COMPACT,         /* 5 bits of number and 27 of time; or 31, then 32 and 64 bits */
    CTF_LARGE,           /* 16 bits of number and 32 of time; or 65535, then 32 and 64 bits */
    CTF_NATURAL_COMPACT, /* the same, each number at its natural address */
    CTF_NATURAL_LARGE,
};

enum ctf_step_kind {
    CTF_STEP_TEXT,
    CTF_STEP_SEQUENCE, /* `size` bytes an element */
    CTF_STEP_VARIANT,  /* `size` choices, from `choice` on */
    CTF_STEP_ALIGN,    /* to a multiple of `size` bytes from the packet's begin */
};

/* The end of a segment of an event. */
struct ctf_step {
    uint8_t kind;  /* enum ctf_step_kind */
    uint32_t skip; /* bytes before it */
    uint32_t size;
    uint32_t choice;
    struct pinsight_slot number; /* length of a sequence, or tag of a variant */
};

/* A choice of a variant, for a range of its tag. */
struct ctf_choice {
    uint64_t low, high;
    uint32_t align; /* bytes */
    uint32_t size;  /* bytes of a choice that is no text */
    bool is_text;
};

struct ctf_class {
    uint32_t size; /* bytes after the last step */
    uint32_t step_count;
    const struct ctf_step *steps;
    const struct tsdl_event *event;  /* NULL: none, or one that is not read */
    const struct tsdl_event *unread; /* an event of an unsupported form */
};

/* A class of streams: packets with a context, and events. */
struct ctf_stream_class {
    const struct tsdl_stream *stream;
    uint32_t head_size;                               /* bytes of a packet before its events */
    struct pinsight_slot begin, end, content, packet; /* from the packet's begin */
    struct pinsight_slot sequence, discarded, vpid, vtid;
    enum ctf_head head;
    uint32_t plain_size; /* bytes of an event's head, for CTF_PLAIN */
    struct pinsight_slot plain_id, plain_time;
    struct ctf_class *classes; /* by number; `event` is NULL for unused numbers */
    size_t class_count;
    struct pinsight_binding **bindings; /* by number; NULL before the first event */
};

struct ctf_trace {
    struct tsdl tsdl;
    char *text; /* the text that tsdl refers to */
    bool has_clock;
    struct pinsight_clock clock;
    struct pinsight_clock_point *points;          /* points of its correction, or NULL */
    struct pinsight_slot magic, stream, instance; /* in heads of packets */
    bool has_uuid;
    uint32_t uuid_at;
    struct ctf_stream_class *streams;
    size_t stream_count;
    struct ctf_step *steps;
    size_t step_count, step_capacity;
    struct ctf_choice *choices;
    size_t choice_count, choice_capacity;
    const char *damage; /* the first part of the text that is no description, or NULL */
    const char *unread; /* the first stream or event of an unsupported form, or NULL */
};

/* Parses a trace's metadata. Takes ownership of the text. Returns NULL, or the reason why no stream
 * can be read (static text). Must be followed by ctf_trace_clear(). */
const char *ctf_trace_make(struct ctf_trace *trace, char *text);

void ctf_trace_clear(struct ctf_trace *trace);

/* Returns a stream class by its number, or NULL. */
struct ctf_stream_class *ctf_stream_class_of(const struct ctf_trace *trace, uint64_t number);

/* Makes the binding of an event class, at its first event. */
void ctf_class_bind(const struct ctf_trace *trace, const struct ctf_stream_class *stream,
                    size_t number, struct pinsight_bindings *bindings);

#endif
