/* The form of the data that is transferred between processes; see transfer.h. Both ends are of one
 * build on one machine. A frame is a head and a body. */
#ifndef PINSIGHT_READER_CTF_TRANSFER_FORM_H
#define PINSIGHT_READER_CTF_TRANSFER_FORM_H

#include "reader/ctf/event.h"

enum ctf_frame {
    CTF_FRAME_STATE = 1, /* struct ctf_transfer_numbers */
    CTF_FRAME_WARNING,   /* text */
    CTF_FRAME_SHORT,     /* struct ctf_transfer_short */
    CTF_FRAME_CLASS,     /* struct ctf_transfer_class; name and host, each with a zero byte */
    CTF_FRAME_EVENT,     /* struct ctf_transfer_event; numbers; texts, each with a zero byte */
    CTF_FRAME_END,       /* struct ctf_transfer_end; the error as text */
};

struct ctf_frame_head {
    uint32_t kind;
    uint32_t size; /* size of the body */
};

/* The largest body: an event is at most as large as a packet. */
#define CTF_FRAME_MOST (UINT32_C(256) << 20)

/* The present numbers of the result. The receiver counts the events. */
struct ctf_transfer_numbers {
    uint64_t discarded_events, discarded_packets, from_ns, until_ns;
    uint32_t streams, damaged_streams;
    uint8_t unclear_discards, damaged_metadata, later_chunk, unused[5];
};

struct ctf_transfer_short {
    int64_t pid;
    uint64_t missing;
    uint32_t instance;
    uint8_t ended, exact, unused[2];
};

struct ctf_transfer_class {
    uint64_t whole, fraction, near; /* of its clock */
    int64_t base_ns, trace_vpid;
    uint32_t number;
    uint8_t has_clock, has_vpid, has_vtid, unused;
    uint8_t vpid_kind, vtid_kind;
    /* kinds of fields: enum pinsight_field_kind + 1; 0: none */
    uint8_t kinds[PINSIGHT_EVENT_MAX_FIELDS];
};

/* An event. The numbers of the fields follow in their order, then the texts in theirs. */
struct ctf_transfer_event {
    uint64_t ns;
    uint32_t class;
    uint8_t earlier, partial, unused[2];
    uint32_t instance, unused_too;
    uint64_t vpid, vtid;
};

struct ctf_transfer_end {
    int32_t rc;
};

#endif
