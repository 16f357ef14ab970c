/* A stream of a trace: its files, mapped, and the event that it stands at. Events are decoded by
 * the batch (see cursor.h); what packets tell is taken note of when the reading comes to them. */
#ifndef PINSIGHT_READER_CTF_STREAM_H
#define PINSIGHT_READER_CTF_STREAM_H

#include "reader/ctf/ahead.h"
#include "reader/ctf/merge.h"

struct ctf_stream {
    struct pinsight_stream base; /* first */
    struct ctf_file *files;      /* in the order of time; the stream's */
    size_t file_count, file_capacity;
    uint64_t limit; /* cycles: what is later is not read */
    struct ctf_lane lane;
    struct ctf_batch *batch; /* that it is in; NULL before the first and behind the last */
    size_t next;             /* record of it behind the event */
    size_t fence;            /* no record of it between the event and this one is a fence */
    const uint32_t *bases;   /* of the next event with segments */
    size_t file;             /* where the packet is that it is in */
    uint64_t packet;
    uint64_t released;            /* what stands before in the file is let go of */
    bool in_packet, has_first;    /* a packet is open; there was one */
    bool over;                    /* no more events */
    bool is_ours;                 /* of the file recorder, which leaves out no packet */
    bool is_whole;                /* all of it was there when its trace was finished */
    uint64_t missing;             /* packets that its file lacks */
    uint64_t sequence, discarded; /* as its last packet has them */
};

/* The files and the limit are known; a lane's batches are of so many events. It may be filled from
 * now on. Not twice. */
void ctf_stream_start(struct ctf_stream *stream, size_t batch);

/* pinsight_merge.advance, .run, .skip and .fence of such streams. */
bool ctf_stream_advance(struct pinsight_merge *merge, struct pinsight_stream *stream);
void ctf_stream_run(struct pinsight_stream *stream, struct pinsight_run *run);
void ctf_stream_skip(struct pinsight_stream *stream, size_t count);
uint64_t ctf_stream_fence(struct pinsight_stream *stream);

void ctf_stream_clear(struct ctf_stream *stream);

#endif
