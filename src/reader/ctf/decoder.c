/* The decoder; see decoder.h. */
#include "reader/ctf/decoder.h"

#include "base/machine.h"
#include "base/memory.h"
#include "reader/ctf/chunks.h"
#include "reader/ctf/decoder_messages.h"
#include "reader/ctf/metadata.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number and the distance of looks for a complete part. */
#define MOST_LOOKS 10
#define LOOK_US 20000

/* Texts of the metadata of traces with events of PInsight, for each recorder. */
#define PROVIDER "pinsight_lttng_ust:"
#define TRACER "tracer_name = \"pinsight\""

bool decoder_may_look_again(const struct pinsight_found_trace *found, int *looks) {
    if (!found || !pinsight_chunks_is_open(found->folder) || ++*looks >= MOST_LOOKS)
        return false;
    usleep(LOOK_US);
    return true;
}

/* Reads a folder's metadata. Returns NULL if it cannot be read. */
static char *read_text(const struct pinsight_found_trace *found, const char *at, bool *damaged) {
    char *text = ctf_metadata_read(at, damaged);

    for (int looks = 0; *damaged && decoder_may_look_again(found, &looks);) {
        free(text);
        text = ctf_metadata_read(at, damaged);
    }
    return text;
}

static void drop_trace(struct decoder_folder *folder) {
    if (folder->trace) {
        ctf_trace_clear(folder->trace);
        free(folder->trace);
    }
    folder->trace = NULL;
}

/* Parses a folder's metadata. A trace without any event of PInsight may be of a form that is not
 * read, such as LTTng's of the kernel. */
static void make_trace(struct decoder_folder *folder, char *text) {
    const bool is_foreign = !strstr(text, PROVIDER) && !strstr(text, TRACER);
    struct ctf_trace *trace = pinsight_calloc(1, sizeof(*trace));

    folder->trace = trace;
    folder->refused = ctf_trace_make(trace, text);
    folder->is_foreign = is_foreign && !trace->damage && (folder->refused || trace->unread);
    folder->damaged |= trace->damage != NULL;
    if (folder->refused || folder->is_foreign)
        drop_trace(folder);
}

static void add_folder(struct decoder *decoder, size_t group,
                       const struct pinsight_found_trace *found, const char *at) {
    struct decoder_folder folder = {.found = found, .at = at, .group = group};
    char *text = read_text(found, at, &folder.damaged);

    if (text && !decoder->newer)
        decoder->newer = decoder_why_newer(found ? found->folder : at, text);
    if (text && !decoder->newer)
        make_trace(&folder, text);
    else
        free(text);
    decoder->foreign += folder.is_foreign;
    *PINSIGHT_ADD(decoder->folders, decoder->folder_count, decoder->folder_capacity) = folder;
}

void decoder_open(struct decoder *decoder, const struct ctf_groups *groups) {
    *decoder = (struct decoder){.groups = groups};
    for (size_t g = 0; g < groups->count; g++) {
        const struct ctf_group *group = &groups->items[g];

        for (size_t i = 0; i < group->count; i++)
            add_folder(decoder, g, group->traces[i], group->traces[i]->at);
        for (size_t i = 0; i < group->before_count; i++)
            add_folder(decoder, g, NULL, group->before[i]);
    }
}

/* A trace of fewer bytes is decoded faster without threads. */
#define LEAST_FOR_THREADS (UINT64_C(4) << 20)

/* The number of events of a batch, which fit into a processor's cache; and the approximate bytes of
 * all batches. */
#define BATCH 4096
#define BATCHES (UINT64_C(16) << 20)

/* Returns the number of additional threads that decode. */
static size_t threads_of(const struct decoder *decoder,
                         const struct pinsight_source_options *options) {
    size_t threads = options->threads ? options->threads : pinsight_machine_processors();
    uint64_t bytes = 0;

    for (size_t i = 0; i < decoder->stream_count; i++)
        for (size_t f = 0; f < decoder->streams[i]->file_count; f++)
            bytes += decoder->streams[i]->files[f].size;
    if (!options->threads && bytes < LEAST_FOR_THREADS)
        return 0;
    return (threads < decoder->stream_count + 1 ? threads : decoder->stream_count + 1) - 1;
}

static void start_streams(struct decoder *decoder, const struct pinsight_source_options *options) {
    size_t threads = threads_of(decoder, options);
    uint64_t batch = BATCHES / (sizeof(struct pinsight_record) + 2 * sizeof(uint32_t)) / CTF_RING /
                     (decoder->stream_count + 1);

    if (batch > BATCH)
        batch = BATCH;
    if (threads)
        ctf_read_ahead_start(&decoder->ahead, threads);
    for (size_t i = 0; i < decoder->stream_count; i++) {
        ctf_stream_start(decoder->streams[i], (size_t)batch);
        ctf_read_ahead_add(&decoder->ahead, &decoder->streams[i]->lane);
    }
}

void decoder_read(struct decoder *decoder, const struct pinsight_source_options *options,
                  struct pinsight_source_result *result) {
    struct pinsight_merge *merge = &decoder->merge;
    struct pinsight_stream **streams = pinsight_calloc(decoder->stream_count, sizeof(*streams));

    merge->options = options;
    merge->result = result;
    merge->advance = ctf_stream_advance;
    merge->run = ctf_stream_run;
    merge->skip = ctf_stream_skip;
    merge->merge_limit = ctf_stream_limit;
    for (size_t i = 0; i < decoder->stream_count; i++)
        streams[i] = &decoder->streams[i]->base;
    result->streams = (uint32_t)decoder->stream_count;
    start_streams(decoder, options);
    pinsight_merge_start(merge, streams, decoder->stream_count);
    while (pinsight_merge_some(merge))
        ;
    ctf_read_ahead_end(&decoder->ahead);
    for (size_t i = 0; i < decoder->stream_count; i++)
        ctf_stream_warn_of_gaps(decoder->streams[i], result);
    free(streams);
}

void decoder_close_accounts(struct decoder *decoder, const char *path,
                            struct pinsight_source_result *result) {
    struct pinsight_account *accounts = pinsight_calloc(decoder->account_count, sizeof(*accounts));
    const char **folders = pinsight_calloc(decoder->account_count, sizeof(*folders));

    for (size_t i = 0; i < decoder->account_count; i++) {
        accounts[i] = decoder->accounts[i]->account;
        folders[i] = decoder->groups->items[decoder->accounts[i]->group].traces[0]->folder;
    }
    pinsight_accounts_close(accounts, folders, decoder->account_count, path, result);
    free(accounts);
    free(folders);
}

void decoder_close(struct decoder *decoder) {
    pinsight_merge_clear(&decoder->merge);
    for (size_t i = 0; i < decoder->stream_count; i++) {
        ctf_stream_clear(decoder->streams[i]);
        free(decoder->streams[i]);
    }
    for (size_t i = 0; i < decoder->account_count; i++) {
        free(decoder->accounts[i]->process);
        free(decoder->accounts[i]);
    }
    for (size_t i = 0; i < decoder->ring_count; i++) {
        pinsight_ring_clear(decoder->rings[i]);
        free(decoder->rings[i]);
    }
    free(decoder->rings);
    free(decoder->real);
    for (size_t i = 0; i < decoder->folder_count; i++) {
        pinsight_streams_free(&decoder->folders[i].noted);
        pinsight_packed_free(&decoder->folders[i].packed);
        drop_trace(&decoder->folders[i]);
    }
    free(decoder->folders);
    free(decoder->streams);
    free(decoder->accounts);
    pinsight_strings_clear(&decoder->heads);
    free((void *)decoder->firsts);
    free(decoder->cause);
    free(decoder->elsewhere);
    free(decoder->newer);
    *decoder = (struct decoder){0};
}
