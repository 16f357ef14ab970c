/*
 * Which streams a trace has: the file .streams of its folder, with the name of each stream on a
 * line, and how long it is once its process has ended. Whoever finishes the folder adds those that
 * are new, so that what is gone later is missed. Streams of a flight recorder are in it once their
 * process has ended, which drops files.
 */
#ifndef PINSIGHT_RECORD_FILE_STREAMS_H
#define PINSIGHT_RECORD_FILE_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PINSIGHT_STREAMS_FILE ".streams"

/* Notes the streams of a folder that are not noted yet. `settled`: there is no buffer of a process
 * that goes on, or that cannot be reached. The caller holds the folder's lock. Returns 0 or an
 * errno. */
int pinsight_streams_note(int folder, bool settled);

/* A noted stream. */
struct pinsight_stream_noted {
    const char *name;
    uint64_t bytes; /* it had at least so many */
};

struct pinsight_streams {
    struct pinsight_stream_noted *all; /* by name, each once */
    size_t count;
    char *names;
};

/* Reads the list of a folder; empty where there is none. Trusts nothing that stands in the file. To
 * be freed. */
void pinsight_streams_read(int folder, struct pinsight_streams *streams);

/* What is noted of a stream; NULL where nothing is. */
const struct pinsight_stream_noted *pinsight_streams_find(const struct pinsight_streams *streams,
                                                          const char *name);

void pinsight_streams_free(struct pinsight_streams *streams);

#endif
