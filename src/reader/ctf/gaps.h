/* Packets that a stream's file lacks, by the sequence numbers of the packets around them. */
#ifndef PINSIGHT_READER_CTF_GAPS_H
#define PINSIGHT_READER_CTF_GAPS_H

#include "reader/ctf/result.h"

/* The places that a message about a stream names. */
#define CTF_MOST_NAMED_GAPS 3

/* The gaps of a stream so far. All zeros at first. */
struct ctf_gaps {
    uint64_t packets; /* in all gaps */
    size_t count;
    struct pinsight_gap first[CTF_MOST_NAMED_GAPS]; /* without names */
};

/* Adds a gap to a stream's gaps, and to the result. `name` is the stream's file. */
void ctf_gaps_add(struct ctf_gaps *gaps, struct pinsight_source_result *result, const char *name,
                  const struct pinsight_gap *gap);

/* The end of a stream's file. */
struct ctf_file_end {
    uint64_t lacking_bytes; /* by which the file is shorter than it was; 0: unknown, or none */
    uint64_t largest_bytes; /* size of its largest packet */
    uint64_t end_ns;        /* end of its last packet; 0: unknown */
    bool is_known;          /* packets that it lacks at its end are among the gaps */
};

/* Adds a warning about a stream that lacks packets, or its end. Does nothing if it is complete.
 * Must be called after the reading, which sets result->from_ns. */
void ctf_gaps_warn(const struct ctf_gaps *gaps, const struct ctf_file_end *end, const char *name,
                   struct pinsight_source_result *result);

#endif
