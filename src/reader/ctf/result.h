/* What reading a trace came to, apart from the events themselves. */
#ifndef PINSIGHT_READER_CTF_RESULT_H
#define PINSIGHT_READER_CTF_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/file/folder.h"

/* A process of which something is missing, or may be. */
struct pinsight_short_process {
    int64_t pid;
    uint32_t instance; /* see event.h */
    uint64_t missing;  /* events that it recorded, are not in the trace and were not discarded */
    bool ended;        /* it said that it came to its end */
    bool exact;        /* no more is missing; else some more of its last events may be */
};

/* A process of which the last part is there, as its flight recorder was told. */
struct pinsight_kept {
    int64_t pid;
    uint32_t host, instance; /* see event.h */
    uint64_t begin_ns;       /* of what is known of it */
    uint64_t from_ns;        /* what it did earlier is not there, what it did from then on is */
    uint64_t last_ns;
    uint64_t dropped_bytes;
};

/* What was read, and what could not be. Cleared by pinsight_source_result_clear. */
struct pinsight_source_result {
    char *error; /* set where nothing could be read: what is wrong, and the cure; exit status 1 */
    char **warnings; /* each one thing that is damaged; what could be read was */
    size_t warning_count, warning_capacity;
    uint64_t events;            /* of all kinds */
    uint64_t known_events;      /* that are PInsight's */
    uint64_t discarded_events;  /* that found the buffers full */
    uint64_t discarded_packets; /* that were overwritten */
    uint64_t from_ns;           /* the first event, known when the reading begins; or 0 */
    uint64_t until_ns;          /* the last packet's end: until when there was recording; or 0 */
    uint64_t bytes;             /* size of the folder's trace files */
    bool is_of_files;           /* the processes wrote it themselves, and lost: */
    struct pinsight_file_lost lost;
    uint32_t streams;
    uint32_t damaged_streams;
    uint32_t living_processes; /* that go on recording: this is what they did so far */
    struct pinsight_short_process *short_processes; /* by what they said of themselves */
    size_t short_count;
    struct pinsight_kept *kept;
    size_t kept_count, kept_capacity;
    bool unclear_discards; /* some events were discarded and the trace does not say how many */
    bool damaged_metadata; /* some events of the trace are not described */
    bool stopped;          /* by options.stop */
    bool later_chunk;      /* the trace goes on from chunks that were not read */
};

static inline uint64_t pinsight_kept_ns(const struct pinsight_kept *kept) {
    return kept->last_ns > kept->from_ns ? kept->last_ns - kept->from_ns : 0;
}

/* Whether there is less than all from the start on. */
static inline bool pinsight_source_begins_late(const struct pinsight_source_result *result) {
    return result->later_chunk || result->kept_count;
}

void pinsight_source_result_clear(struct pinsight_source_result *result);

/* Adds a warning, which the result takes over. */
void pinsight_source_warn(struct pinsight_source_result *result, char *text);

#endif
