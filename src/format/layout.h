/*
 * The content of the file recorder's files; format/folder.h lists the files. All numbers have
 * the byte order of the machine.
 *
 * The head of an event is LTTng's compact head, so that other readers of CTF know it. It has 5 bits
 * of number and 27 bits of time. If these do not suffice, the 5 bits are 31, and 32 bits of number
 * and 64 bits of time follow. All fields are packed.
 */
#ifndef PINSIGHT_FORMAT_LAYOUT_H
#define PINSIGHT_FORMAT_LAYOUT_H

#include <stdint.h>

#define PINSIGHT_COMPACT_NUMBER_BITS 5
#define PINSIGHT_COMPACT_TIME_BITS 27
#define PINSIGHT_COMPACT_MOST_TICKS                                                                \
    ((1u << PINSIGHT_COMPACT_TIME_BITS) - 1) /* since the last event */
#define PINSIGHT_EXTENDED 31                 /* value of the 5 bits */
#define PINSIGHT_EXTENDED_BYTES 13

#define PINSIGHT_CTF_MAGIC 0xC1FC1FC1u

/* The head of a packet. Sizes are bits. */
struct pinsight_packet_head {
    uint32_t magic;
    uint8_t uuid[16]; /* the trace's identity */
    uint32_t stream_id;
    uint64_t begin, end; /* ticks: begin is not after the first event, end not before the last */
    uint64_t content, size;
    uint64_t sequence;
    uint64_t discarded; /* discarded events of this stream so far */
    uint32_t vpid, vtid;
} __attribute__((packed));

_Static_assert(sizeof(struct pinsight_packet_head) == 80, "as the metadata has it");

#define PINSIGHT_FOLDER_VERSION 1 /* version of files that are neither streams nor buffers */

#define PINSIGHT_BUFFER_MAGIC 0x31667542736e4950u /* "PInsBuf1" */
#define PINSIGHT_BUFFER_VERSION 2
#define PINSIGHT_BUFFER_OF_ONE_PACKET 1 /* an older version without `packet`, which is `base` */
#define PINSIGHT_BUFFER_HEAD_BYTES 4096

/*
 * The first page of a buffer's file; the buffer follows. `base`, `packet` and `pos` are positions
 * in the stream's file: of the buffer's first byte, of the packet that is being recorded, and of
 * the end of the recorded data. Earlier packets are whole. The process that finishes the last
 * packet fills in its end, content and size, or excludes it if it has no event. If `pos` equals
 * `base`, the buffer is empty, whatever `packet` is. The rest of the page belongs to the recording
 * thread.
 */
struct pinsight_buffer_head {
    uint64_t magic; /* written last */
    uint32_t version, head_bytes;
    uint64_t size;      /* size of the buffer */
    int32_t pid;        /* the process's number, as the process itself sees it */
    uint32_t number;    /* number of the stream in the buffer */
    uint64_t start;     /* start of the process, in clock ticks since the machine's boot */
    uint64_t namespace; /* PID namespace: the inode of /proc/self/ns/pid */
    char host[64];
    uint64_t base;
    uint64_t origin;           /* position at which its present file begins; see ring.c */
    _Alignas(64) uint64_t pos; /* written for each event, like the following members */
    uint64_t last;             /* ticks of the last event */
    uint64_t lost_events;      /* lost events of this stream, for any reason */
    uint64_t lost_bytes;       /* bytes that could not be written */
    uint64_t packet;
    uint64_t boot; /* the machine's boot, see base/machine.h; 0: unknown */
};

#define PINSIGHT_RING_MAGIC 0x676e6952736e4950u /* "PInsRing" */

/*
 * The losses of a process with a flight recorder so far. All its events that are later than
 * `dropped_until` exist. The file has these bytes alone.
 */
struct pinsight_ring_head {
    uint64_t magic;
    uint32_t version;
    int32_t pid;
    uint64_t bytes, ns;     /* the limit of the kept data; one of them is 0 */
    uint64_t dropped_until; /* ticks of the last dropped event; 0: none */
    uint64_t dropped_bytes;
    uint64_t last;  /* ticks of the last known event */
    uint64_t until; /* ticks of the end of a copy; 0 if this is no copy */
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
    struct pinsight_clocks last;  /* when data was written last; ignored if inconsistent */
    uint64_t last_check;          /* the sum of the numbers in `last` */
    uint8_t uuid[16];
    uint64_t lost_bytes;  /* bytes that could not be written, of all processes */
    uint64_t refused;     /* events that interrupted another event */
    uint64_t no_buffer;   /* events that got no buffer */
    uint32_t reported;    /* bits: messages that were reported once for all processes */
    uint64_t lost_events; /* events in lost_bytes */
    uint64_t boot;        /* boot of the recording machine, see base/machine.h; 0: unknown */
    int32_t lost_error;   /* errno of the first loss; 0: none, or unknown */
    uint64_t inode;       /* of this page's file; another one in a copy; 0: unknown */
};

#endif
