/* Decoding of a stream, from the bytes of its files to batches of records. It reads only the files
 * and their descriptions, and changes only the cursor and the batch, so that any thread may do it.
 * The batches also report the packets (see stream.h). */
#ifndef PINSIGHT_READER_CTF_CURSOR_H
#define PINSIGHT_READER_CTF_CURSOR_H

#include "reader/ctf/class.h"
#include "reader/ctf/mapped.h"
#include "reader/ctf/run.h"

/* The position of the next event in a packet. */
struct ctf_place {
    const unsigned char *at;
    const unsigned char *end; /* end of the packet's events */
    uint64_t clock;           /* cycles of the last event */
};

/* The position of the next event in a stream. `files` (in the order of time) and `limit` are set at
 * the start. The stream owns the files. */
struct ctf_cursor {
    const struct ctf_file *files;
    size_t file_count;
    uint64_t limit; /* cycles; later events are not read */
    struct ctf_place place;
    size_t file;                      /* index of the current file */
    uint64_t packet;                  /* begin of the packet in the file */
    uint64_t next;                    /* begin of the next packet */
    uint64_t sequence;                /* number of the last packet */
    uint64_t file_sequence, file_end; /* number and time of the last packet of the file before */
    bool over;                        /* there are no more batches */
};

/* The continuation after the last record of a batch. */
enum ctf_outcome {
    CTF_GOES_ON,
    CTF_ENDED,  /* end of the stream */
    CTF_LATE,   /* events after `limit` */
    CTF_FAILED, /* data that cannot be read */
};

/* Successive events of one packet. */
struct ctf_batch {
    bool leaves; /* the packet before has ended */
    bool begins; /* the packet begins here */
    enum ctf_outcome outcome;
    char *cause; /* for CTF_FAILED; owned */
    size_t file; /* place of the packet */
    uint64_t packet;
    const struct ctf_stream_class *class;
    const unsigned char *bytes; /* the base of the records' positions */
    size_t count, base_count;
    size_t capacity; /* number of records */
    struct pinsight_record *records;
    uint32_t *bases; /* of events with segments, one event after the other */
};

/* Makes a batch with room for `capacity` events, at least CTF_LEAST_BATCH, of which few have
 * texts. */
#define CTF_LEAST_BATCH 16
struct ctf_batch *ctf_batch_new(size_t capacity);
void ctf_batch_free(struct ctf_batch *batch);

/* Decodes the next events of a stream that is not over. Discards the batch's content; a cause must
 * be taken out before. */
void ctf_cursor_fill(struct ctf_cursor *cursor, struct ctf_batch *batch);

#endif
