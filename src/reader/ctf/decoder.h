/* Reads traces: parses the metadata, maps stream files, and decodes events in place. Damage ends
 * only its stream. Not thread-safe. */
#ifndef PINSIGHT_READER_CTF_DECODER_H
#define PINSIGHT_READER_CTF_DECODER_H

#include "format/packed.h"
#include "format/streams.h"
#include "reader/ctf/groups.h"
#include "reader/ctf/merge.h"
#include "reader/ctf/stream.h"
#include "reader/hosts/corrections.h"

/* The folder of a trace. */
struct decoder_folder {
    const struct pinsight_found_trace *found; /* NULL for an earlier chunk */
    const char *at;
    size_t group;
    struct ctf_trace *trace; /* NULL if its metadata cannot be read */
    const char *refused;     /* the reason of that, if it has metadata; static text */
    bool is_foreign;         /* it is another program's, and is left out */
    bool damaged;   /* its metadata or, once they are read, one of its streams is damaged */
    size_t streams; /* number of its files that can be read, completely or partly */
    size_t copies;  /* number of its files that are copies of others */
    uint64_t limit; /* cycles: later events of living processes are not read */
    struct pinsight_streams noted; /* the list of its streams at its completion */
    struct pinsight_packed packed; /* streams in one file */
};

/* Streams that are counted together. */
struct decoder_account {
    size_t group;
    char *process; /* common prefix of the names of its files; "" for all */
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
    const struct pinsight_host_corrections *corrections; /* NULL: none */
    /* The correction of real time to the clock of the first folder that has one. */
    struct pinsight_clock_point *real;
    size_t real_count;
    struct pinsight_strings heads; /* of files' first packets */
    const char **firsts;           /* by the number of a head: path of the first file with it */
    size_t first_count;
    struct pinsight_ring **rings;
    size_t ring_count, ring_capacity;
    char *cause;     /* the reason of the first failure, or NULL */
    char *elsewhere; /* the first warning about a buffer outside the trace, or NULL */
    char *newer;     /* a message for the user about an unknown newer form, or NULL */
    size_t foreign;  /* number of folders of other programs that are left out */
    struct pinsight_merge merge;
    struct ctf_read_ahead ahead;
};

/* Parses the metadata of all groups. Nothing may be read if decoder->newer is set. Must be followed
 * by decoder_close(). `groups` must outlive the decoder. */
void decoder_open(struct decoder *decoder, const struct ctf_groups *groups);

/* Opens the streams, and adds warnings to the result. Returns the number of traces that can be
 * read. */
size_t decoder_find_streams(struct decoder *decoder, struct pinsight_source_result *result);

/* Returns whether to look again at an incomplete part of a chunk, because the chunk is being
 * written. Waits a little first. `found` is NULL for an earlier chunk. *looks counts the looks,
 * from 0. */
bool decoder_may_look_again(const struct pinsight_found_trace *found, int *looks);

/* Passes on all events. */
void decoder_read(struct decoder *decoder, const struct pinsight_source_options *options,
                  struct pinsight_source_result *result);

/* Closes the accounts of the processes. `path` is the path that was read. */
void decoder_close_accounts(struct decoder *decoder, const char *path,
                            struct pinsight_source_result *result);

void decoder_close(struct decoder *decoder);

#endif
