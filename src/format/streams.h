/*
 * The list of a trace's streams, in the file .streams of its folder. Each line has the name of a
 * stream, and its length once its process has ended. Each process that finishes the folder adds new
 * streams, so that a missing file is noticed. Streams of a flight recorder are added only after the
 * end of their process, which removes files.
 */
#ifndef PINSIGHT_FORMAT_STREAMS_H
#define PINSIGHT_FORMAT_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PINSIGHT_STREAMS_FILE ".streams"

/* Adds new streams of a folder to the list. `settled` means that there is no buffer of a process
 * that continues or cannot be reached. The caller holds the folder's lock. Returns 0 or an
 * errno. */
int pinsight_streams_note(int folder, bool settled);

/* An entry of the list. */
struct pinsight_stream_noted {
    const char *name;
    uint64_t bytes;   /* the least length of the stream; 0: unknown */
    uint64_t packets; /* behind the number of its last packet; 0: unknown */
};

struct pinsight_streams {
    struct pinsight_stream_noted *all; /* sorted by name, without duplicates */
    size_t count;
    char *names;
};

/* Reads the list of a folder; empty if there is none. The file is not trusted. The caller frees the
 * list. */
void pinsight_streams_read(int folder, struct pinsight_streams *streams);

/* Returns the entry of a stream, or NULL. */
const struct pinsight_stream_noted *pinsight_streams_find(const struct pinsight_streams *streams,
                                                          const char *name);

void pinsight_streams_free(struct pinsight_streams *streams);

#endif
