/* The way from folders of traces to events without libbabeltrace2: metadata is taken apart, stream
 * files are mapped, and events decoded where they stand. What is damaged ends a stream in place.
 * Not thread-safe. */
#ifndef PINSIGHT_READER_CTF_DECODER_H
#define PINSIGHT_READER_CTF_DECODER_H

#include "reader/ctf/groups.h"
#include "reader/ctf/merge.h"
#include "reader/ctf/stream.h"
#include "record/file/streams.h"

/* A folder of a trace. */
struct decoder_folder {
    const struct pinsight_found_trace *found; /* NULL of an earlier chunk */
    const char *at;
    size_t group;
    struct ctf_trace *trace;       /* NULL where its metadata cannot be read */
    bool damaged;                  /* its metadata, or a stream of it */
    size_t streams;                /* files of it that can be read, whole or in part */
    size_t copies;                 /* files of it that are copies of others */
    uint64_t limit;                /* cycles: what living processes record later is not read */
    struct pinsight_streams noted; /* that it had when it was finished */
};

/* Whose streams are counted together. */
struct decoder_account {
    size_t group;
    char *process; /* what the names of its files begin with; "" for all */
    struct pinsight_account account;
};

struct decoder {
    const struct ctf_groups *groups;
    struct decoder_folder *folders;
    size_t folder_count, folder_capacity;
    struct ctf_stream **streams;
    size_t stream_count, stream_capacity;
    struct decoder_account **accounts;
    size_t account_count, account_capacity;
    /* What is added to real time for the times of the first folder that says it. */
    struct pinsight_clock_point *real;
    size_t real_count;
    struct pinsight_ring **rings;
    size_t ring_count, ring_capacity;
    char *cause; /* why the first that cannot be read cannot; or NULL */
    char *newer; /* a trace is of a newer form than is known: a message for the user; or NULL */
    struct pinsight_merge merge;
    struct ctf_ahead ahead;
};

/* Takes the metadata of all groups apart. Returns NULL, or why some is refused (static text): then
 * they have to be read by other means, or not at all where decoder->newer is set. Close it in both
 * cases; groups must outlive it. */
const char *decoder_open(struct decoder *decoder, const struct ctf_groups *groups);

/* Opens the streams; what cannot be read is told in the result. Returns how many traces can be
 * read. */
size_t decoder_find_streams(struct decoder *decoder, struct pinsight_source_result *result);

/* Whether to look again at something of a chunk, NULL of an earlier one, that is not whole: while
 * it is written it may be just between two writes. Waits a little. `looks` counts, from 0. */
bool decoder_looks_again(const struct pinsight_found_trace *found, int *looks);

/* Hands on all events. */
void decoder_read(struct decoder *decoder, const struct pinsight_source_options *options,
                  struct pinsight_source_result *result);

/* Closes the accounts of its processes; `path` is what was read. */
void decoder_close_accounts(struct decoder *decoder, const char *path,
                            struct pinsight_source_result *result);

void decoder_close(struct decoder *decoder);

#endif
