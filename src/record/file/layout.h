/*
 * What the file recorder's files hold; see record/file/folder.h for which there are. All numbers
 * have the byte order of the machine.
 *
 * Event: its number and time as LTTng's compact head has them, so that other readers of CTF know
 * it: 5 bits of number and 27 of time; or, where those do not suffice, 31 in the 5 bits, and then
 * 32 bits of number and 64 of time, all packed.
 */
#ifndef PINSIGHT_RECORD_FILE_LAYOUT_H
#define PINSIGHT_RECORD_FILE_LAYOUT_H

#include <stdint.h>

#define PINSIGHT_COMPACT_NUMBER_BITS 5
#define PINSIGHT_COMPACT_TIME_BITS 27
#define PINSIGHT_COMPACT_MOST_TICKS                                                                \
    ((1u << PINSIGHT_COMPACT_TIME_BITS) - 1) /* since the last event */
#define PINSIGHT_EXTENDED 31                 /* in the 5 bits */
#define PINSIGHT_EXTENDED_BYTES 13

#define PINSIGHT_CTF_MAGIC 0xC1FC1FC1u

/* The head of a packet. Sizes are bits. */
struct pinsight_packet_head {
    uint32_t magic;
    uint8_t uuid[16]; /* the trace's */
    uint32_t stream_id;
    uint64_t begin, end; /* ticks: of the first event, or before; of the last, or after */
    uint64_t content, size;
    uint64_t sequence;
    uint64_t discarded; /* events, in this stream so far */
    uint32_t vpid, vtid;
} __attribute__((packed));

_Static_assert(sizeof(struct pinsight_packet_head) == 80, "as the metadata has it");

#define PINSIGHT_FOLDER_VERSION 1 /* of what is in the files that are neither stream nor buffer */

#define PINSIGHT_BUFFER_MAGIC 0x31667542736e4950u /* "PInsBuf1" */
#define PINSIGHT_BUFFER_VERSION 2
#define PINSIGHT_BUFFER_OF_ONE_PACKET                                                              \
    1 /* an older version, which has no `packet`: it is `base`                                     \
       */
#define PINSIGHT_BUFFER_HEAD_BYTES 4096

/*
 * The first page of a buffer's file; the buffer follows. `base`, `packet` and `pos` are places in
 * the stream's file: of the buffer's first byte, of the packet that is being recorded, and of the
 * end of what is recorded. Packets before that one are whole; its end, content and size are filled
 * in by who finishes it, or it is excluded where it has no event. Where `pos` is `base` there is
 * nothing, wherever `packet` is.
 */
struct pinsight_buffer_head {
    uint64_t magic; /* written last */
    uint32_t version, head_bytes;
    uint64_t size;      /* of the buffer */
    int32_t pid;        /* of the process, as it sees itself */
    uint32_t number;    /* of the stream in it */
    uint64_t start;     /* when the process started, in clock ticks since the machine did */
    uint64_t namespace; /* of process numbers: the inode of /proc/self/ns/pid */
    char host[64];
    uint64_t base;
    uint64_t origin;           /* the place that is the beginning of its present file; see ring.c */
    _Alignas(64) uint64_t pos; /* the recorder's, with what follows, for each event */
    uint64_t last;             /* ticks: of the last event */
    uint64_t lost_events;      /* of this stream, for whatever reason */
    uint64_t lost_bytes;       /* that could not be written */
    uint64_t packet;
    uint64_t boot; /* of the machine, see base/machine.h; 0: not known */
};

#define PINSIGHT_RING_MAGIC 0x676e6952736e4950u /* "PInsRing" */

/*
 * What a process that keeps only the last part of its events has dropped so far. All its events
 * that are later than `dropped_until` are there. The file has these bytes alone.
 */
struct pinsight_ring_head {
    uint64_t magic;
    uint32_t version;
    int32_t pid;
    uint64_t bytes, ns;     /* what is kept: one of them is 0 */
    uint64_t dropped_until; /* ticks: of the last event that was dropped; 0: none was */
    uint64_t dropped_bytes;
    uint64_t last;  /* ticks: of the last event that is known of */
    uint64_t until; /* ticks: events until then were copied; 0 where this is no copy */
};

#define PINSIGHT_CONTROL_MAGIC 0x316c7274436e4950u /* "PInCtrl1" */
#define PINSIGHT_CONTROL_BYTES 4096

/* One moment on three clocks; the fields of an event clock_sync. */
struct pinsight_clocks {
    uint64_t ticks;
    uint64_t monotonic, real; /* ns */
};

/* The page that all processes of a folder share. */
struct pinsight_control {
    uint64_t magic;
    uint32_t version;
    uint32_t has_counter;         /* ticks are the processor's; else ns of CLOCK_MONOTONIC */
    struct pinsight_clocks first; /* when the folder was made */
    struct pinsight_clocks last;  /* when something was written last; torn ones are not used */
    uint64_t last_check;          /* the sum of `last`'s numbers */
    uint8_t uuid[16];
    uint64_t lost_bytes;  /* that could not be written, of all processes */
    uint64_t refused;     /* events within events */
    uint64_t no_buffer;   /* events for which no buffer could be had */
    uint32_t reported;    /* bits: what was said once for all */
    uint64_t lost_events; /* in lost_bytes */
    uint64_t boot;        /* of the machine that records here, see base/machine.h; 0: not known */
    int32_t lost_error;   /* errno: why the first of what was lost was; 0: nothing, or not known */
};

#endif
