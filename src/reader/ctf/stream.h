/* A stream of a trace: its mapped files, and its present event. Events are decoded in batches (see
 * cursor.h). The data of a packet is noted when the reading reaches it. */
#ifndef PINSIGHT_READER_CTF_STREAM_H
#define PINSIGHT_READER_CTF_STREAM_H

#include "reader/ctf/gaps.h"
#include "reader/ctf/merge.h"
#include "reader/ctf/read_ahead.h"

struct ctf_stream {
    struct pinsight_stream base; /* must be the first member */
    struct ctf_file *files;      /* in the order of time; owned */
    size_t file_count, file_capacity;
    uint64_t limit; /* cycles; later events are not read */
    struct ctf_lane lane;
    struct ctf_batch *batch; /* the current batch; NULL before the first and after the last */
    size_t next;             /* the record after the event */
    size_t merge_limit;      /* no record between the event and this one is a merge limit */
    const uint32_t *bases;   /* of the next event with segments */
    size_t file;             /* place of its packet */
    uint64_t packet;
    uint64_t released;         /* end of the released part of the file */
    bool in_packet, has_first; /* a packet is open; there was a packet */
    bool over;                 /* there are no more events */
    bool is_ours;              /* written by the file recorder, which skips no packet */
    bool is_whole;             /* it was complete when its trace was finished */
    struct ctf_gaps gaps;
    uint64_t end_ns;              /* end of its last packet; 0: none, or unknown */
    uint64_t sequence, discarded; /* of its last packet */
};

/* Starts a stream with its files and its limit. `batch` is the number of events of its lane's
 * batches. From now on, threads may fill the lane. Called once. */
void ctf_stream_start(struct ctf_stream *stream, size_t batch);

/* The functions advance, run, skip and merge limit of struct pinsight_merge, for these streams. */
bool ctf_stream_advance(struct pinsight_merge *merge, struct pinsight_stream *stream);
void ctf_stream_run(struct pinsight_stream *stream, struct pinsight_run *run);
void ctf_stream_skip(struct pinsight_stream *stream, size_t count);
uint64_t ctf_stream_limit(struct pinsight_stream *stream);

/* Adds a warning about the packets that the stream's files lack. Called after the reading. */
void ctf_stream_warn_of_gaps(struct ctf_stream *stream, struct pinsight_source_result *result);

void ctf_stream_clear(struct ctf_stream *stream);

#endif
