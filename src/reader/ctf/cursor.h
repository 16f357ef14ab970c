/* Decoding of a stream: from the bytes of its files to batches of records. It reads nothing but the
 * files and their descriptions, and changes nothing but the cursor and the batch: a thread of its
 * own may do it. What the packets mean for the reading is told in the batches (see stream.h). */
#ifndef PINSIGHT_READER_CTF_CURSOR_H
#define PINSIGHT_READER_CTF_CURSOR_H

#include "reader/ctf/class.h"
#include "reader/ctf/mapped.h"
#include "reader/ctf/run.h"

/* The next event, within a packet. */
struct ctf_place {
    const unsigned char *at;
    const unsigned char *end; /* of the packet's events */
    uint64_t clock;           /* cycles, at the last event */
};

/* Where the next event of a stream is. `files` (in the order of time) and `limit` are set at first;
 * the files stay the stream's. */
struct ctf_cursor {
    const struct ctf_file *files;
    size_t file_count;
    uint64_t limit; /* cycles: what is later is not read */
    struct ctf_place place;
    size_t file;                      /* the one that it is in */
    uint64_t packet;                  /* where the packet begins in the file */
    uint64_t next;                    /* and the one behind it */
    uint64_t sequence;                /* of its last packet */
    uint64_t file_sequence, file_end; /* the same, and its time, at the end of the file before */
    bool over;                        /* no more batches */
};

/* What is behind the last record of a batch. */
enum ctf_outcome {
    CTF_GOES_ON,
    CTF_ENDED,  /* the stream */
    CTF_LATE,   /* what is later than is to be read */
    CTF_FAILED, /* something that cannot be read */
};

/* Events of one packet, one behind the other. */
struct ctf_batch {
    bool leaves; /* the packet before has ended */
    bool begins; /* the packet begins here */
    enum ctf_outcome outcome;
    char *cause; /* of CTF_FAILED; owned */
    size_t file; /* where its packet is */
    uint64_t packet;
    const struct ctf_stream_class *class;
    const unsigned char *bytes; /* records count from here */
    size_t count, base_count;
    size_t capacity; /* of records */
    struct pinsight_record *records;
    uint32_t *bases; /* of events with segments, one event after the other */
};

/* Room for some events, CTF_LEAST_BATCH at least, of which few have texts. */
#define CTF_LEAST_BATCH 16
struct ctf_batch *ctf_batch_new(size_t capacity);
void ctf_batch_free(struct ctf_batch *batch);

/* Decodes the next events of a stream that is not over. What the batch had is gone; a cause is to
 * be taken out of it before. */
void ctf_cursor_fill(struct ctf_cursor *cursor, struct ctf_batch *batch);

#endif
