/* The result of reading a trace, apart from the events. */
#ifndef PINSIGHT_READER_CTF_RESULT_H
#define PINSIGHT_READER_CTF_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/folder.h"

/* A process of which data is missing, or may be. */
struct pinsight_short_process {
    int64_t pid;
    uint32_t instance; /* see event.h */
    uint64_t missing;  /* recorded events that are neither in the trace nor discarded */
    bool ended;        /* it reported its end */
    bool exact;        /* `missing` is exact; else more of its last events may be missing */
};

/* Packets of a stream that are missing between others, before all others, or behind them. */
struct pinsight_gap {
    char *stream; /* path of the stream's file */
    uint64_t packets;
    uint64_t from_ns;  /* end of the packet before; 0: there is none, or it is unknown */
    uint64_t until_ns; /* begin of the packet behind; 0: there is none, or it is unknown */
};

/* A process of which only the last part was kept, by its flight recorder. */
struct pinsight_kept {
    int64_t pid;
    uint32_t host, instance; /* see event.h */
    uint64_t begin_ns;       /* begin of the known time */
    uint64_t from_ns;        /* all its events from this time on exist */
    uint64_t last_ns;
    uint64_t dropped_bytes;
};

/* The complete and the missing parts of a reading. Cleared by pinsight_source_result_clear(). */
struct pinsight_source_result {
    char *error;     /* the error and its cure if nothing could be read; exit status 1 */
    char **warnings; /* one for each damage; the rest was read */
    size_t warning_count, warning_capacity;
    uint64_t events;            /* of all kinds */
    uint64_t known_events;      /* events of PInsight */
    uint64_t discarded_events;  /* events that found the buffers full */
    uint64_t discarded_packets; /* overwritten packets */
    uint64_t from_ns;           /* the first event, known when the reading begins; or 0 */
    uint64_t until_ns;          /* end of the last packet, up to which was recorded; or 0 */
    uint64_t bytes;             /* size of the folder's trace files */
    /* the processes wrote the trace with the file recorder, and lost: */
    bool is_of_files;
    struct pinsight_file_lost lost;
    uint32_t streams;
    uint32_t damaged_streams;  /* of all kinds; among them: */
    uint32_t sorted_streams;   /* with packets twice or out of order, or whole copies of others */
    uint32_t lacking_streams;  /* with gaps */
    uint64_t lacking_packets;  /* in all gaps */
    struct pinsight_gap *gaps; /* the first gaps */
    size_t gap_count, gap_capacity;
    uint32_t living_processes;                      /* processes that continue to record */
    struct pinsight_short_process *short_processes; /* by their own counts */
    size_t short_count;
    struct pinsight_kept *kept;
    size_t kept_count, kept_capacity;
    bool unclear_discards; /* an unknown number of events was discarded */
    bool damaged_metadata; /* some events of the trace are not described */
    bool stopped;          /* stopped by options.stop */
    bool later_chunk;      /* the trace continues chunks that were not read */
};

static inline uint64_t pinsight_kept_ns(const struct pinsight_kept *kept) {
    return kept->last_ns > kept->from_ns ? kept->last_ns - kept->from_ns : 0;
}

/* Returns whether a part of the events is missing at the start. */
static inline bool pinsight_source_is_partial(const struct pinsight_source_result *result) {
    return result->later_chunk || result->kept_count;
}

void pinsight_source_result_clear(struct pinsight_source_result *result);

/* Adds a warning. Takes ownership of the text. */
void pinsight_source_warn(struct pinsight_source_result *result, char *text);

#endif
