/* A stream of a trace: its files, mapped, and the event that it stands at, decoded in place. */
#ifndef PINSIGHT_READER_CTF_STREAM_H
#define PINSIGHT_READER_CTF_STREAM_H

#include "reader/ctf/class.h"
#include "reader/ctf/mapped.h"
#include "reader/ctf/merge.h"

struct ctf_stream {
    struct pinsight_stream base; /* first */
    struct ctf_file *files;      /* in the order of time; the stream's */
    size_t file_count, file_capacity;
    size_t file;                      /* the one that it is in */
    const unsigned char *at;          /* the next event */
    const unsigned char *end;         /* of the packet's events */
    uint64_t packet;                  /* where the packet begins in the file */
    uint64_t next;                    /* and the one behind it */
    uint64_t released;                /* what stands before is let go of */
    uint64_t clock;                   /* cycles, at the last event */
    uint64_t limit;                   /* cycles: what is later is not read */
    bool in_packet, has_first;        /* a packet is open; there was one */
    uint64_t sequence, discarded;     /* as its last packet has them */
    uint64_t file_sequence, file_end; /* and its time, at the end of the file before */
    uint32_t bases[CTF_MOST_SEGMENTS + 1];
};

/* pinsight_merge.advance of such streams. */
bool ctf_stream_advance(struct pinsight_merge *merge, struct pinsight_stream *stream);

void ctf_stream_clear(struct ctf_stream *stream);

#endif
