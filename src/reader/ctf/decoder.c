/* The decoder of traces; see decoder.h. */
#include "reader/ctf/decoder.h"

#include "base/memory.h"
#include "base/order.h"
#include "reader/ctf/chunks.h"
#include "reader/ctf/sound.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often, and how far apart, it is looked whether a chunk that is being written is whole: it may
 * be just between two writes. */
#define MOST_LOOKS 10
#define LOOK_US 20000

/* Reads a folder's metadata; NULL where it cannot be read. */
static char *read_text(const char *at, bool is_open, bool *damaged) {
    char *text = pinsight_sound_metadata(at, damaged);

    for (int look = 1; *damaged && look < MOST_LOOKS && is_open; look++) {
        usleep(LOOK_US);
        free(text);
        text = pinsight_sound_metadata(at, damaged);
    }
    return text;
}

/* Adds a folder; returns why its metadata is refused. */
static const char *add_folder(struct decoder *decoder, size_t group,
                              const struct pinsight_found_trace *found, const char *at) {
    struct decoder_folder folder = {.found = found, .at = at, .group = group};
    const char *refused = NULL;
    char *text = read_text(at, found && pinsight_chunks_is_open(found->folder), &folder.damaged);

    if (text) {
        folder.trace = pinsight_calloc(1, sizeof(*folder.trace));
        refused = ctf_trace_make(folder.trace, text);
    }
    *PINSIGHT_ADD(decoder->folders, decoder->folder_count, decoder->folder_capacity) = folder;
    return refused;
}

const char *decoder_open(struct decoder *decoder, const struct ctf_groups *groups) {
    const char *refused = NULL;

    *decoder = (struct decoder){.groups = groups};
    for (size_t g = 0; g < groups->count && !refused; g++) {
        const struct ctf_group *group = &groups->items[g];

        for (size_t i = 0; i < group->count && !refused; i++)
            refused = add_folder(decoder, g, group->traces[i], group->traces[i]->at);
        for (size_t i = 0; i < group->before_count && !refused; i++)
            refused = add_folder(decoder, g, NULL, group->before[i]);
    }
    return refused;
}

static void keep_cause(struct decoder *decoder, const char *cause) {
    if (!decoder->cause)
        decoder->cause = pinsight_strdup(cause);
}

/* Says why nothing of a trace can be read. Takes over why. */
static void give_up(struct decoder *decoder, const struct decoder_folder *folder, char *why,
                    struct pinsight_source_result *result) {
    pinsight_source_warn(
        result, pinsight_format("the trace in %s cannot be read: %s", folder->found->folder, why));
    keep_cause(decoder, why);
    free(why);
}

static char *why_no_metadata(const char *folder) {
    char *path = pinsight_format("%s/metadata", folder);
    struct stat st;
    char *why;

    if (access(path, R_OK) != 0)
        why = pinsight_format("its metadata cannot be read: %s", strerror(errno));
    else if (stat(path, &st) == 0 && st.st_size)
        why = pinsight_strdup("its metadata, which describes the events, is damaged from its "
                              "start");
    else
        why = pinsight_strdup("its metadata, which describes the events, is empty: the recording "
                              "was killed before LTTng wrote it");
    free(path);
    return why;
}

/* LTTng's stream files are named for a channel and a processor, events_0; ours for a process. */
static bool is_stream_name(const char *path, const struct ctf_trace *trace) {
    size_t end = strlen(path);
    size_t at = end;

    while (at && path[at - 1] >= '0' && path[at - 1] <= '9')
        at--;
    return tsdl_is(trace->tsdl.tracer, "pinsight") || (at && at < end && path[at - 1] == '_');
}

/* Says what is damaged of a stream file. */
static void warn_of(struct decoder *decoder, const struct decoder_folder *folder,
                    const struct ctf_file *file, enum ctf_file_state state,
                    struct pinsight_source_result *result) {
    static const char undescribed[] = "its metadata, which describes the events, is damaged";
    char *real = realpath(file->path, NULL);
    const char *path = real ? real : file->path;

    switch (state) {
    case CTF_FILE_CUT:
        pinsight_source_warn(
            result, pinsight_format("%s is cut off in the middle of a packet; what stands before "
                                    "is reported",
                                    path));
        result->damaged_streams++;
        break;
    case CTF_FILE_LOST:
        pinsight_source_warn(result,
                             pinsight_format("nothing of %s can be read; it is left out", path));
        result->damaged_streams++;
        break;
    case CTF_FILE_FOREIGN:
        pinsight_source_warn(
            result, pinsight_format("%s is not a stream of a trace, or its start is damaged; it is "
                                    "left out",
                                    path));
        result->damaged_streams += is_stream_name(path, folder->trace);
        break;
    case CTF_FILE_UNKNOWN:
        pinsight_source_warn(result,
                             pinsight_format("a stream of the trace in %s cannot be read (%s)",
                                             folder->found->folder, undescribed));
        keep_cause(decoder, undescribed);
        result->damaged_streams++;
        break;
    default:
        break;
    }
    free(real);
}

/* The account of a stream's process. LTTng has a trace for each process; ours are named for it, and
 * the files come in the order of their names. */
static struct pinsight_account *account_of(struct decoder *decoder, size_t group,
                                           const struct ctf_file *file) {
    const char *name = strrchr(file->path, '/') + 1;
    const char *last = tsdl_is(file->trace->tsdl.tracer, "pinsight") ? strrchr(name, '-') : NULL;
    size_t length = last ? (size_t)(last - name) : 0;
    struct decoder_account *account =
        decoder->account_count ? decoder->accounts[decoder->account_count - 1] : NULL;

    if (!account || account->group != group || strlen(account->process) != length ||
        memcmp(account->process, name, length) != 0) {
        account = pinsight_calloc(1, sizeof(*account));
        account->group = group;
        account->process = pinsight_memdup(name, length);
        *PINSIGHT_ADD(decoder->accounts, decoder->account_count, decoder->account_capacity) =
            account;
    }
    return &account->account;
}

/* The stream of the same trace that a file goes on with; NULL where it is the first. `first` is the
 * first stream of its group. */
static struct ctf_stream *find_stream(const struct decoder *decoder, size_t first,
                                      const struct ctf_file *file, bool earlier) {
    for (size_t i = first; i < decoder->stream_count && file->has_instance; i++) {
        const struct ctf_file *other = &decoder->streams[i]->files[0];

        if (decoder->streams[i]->base.earlier == earlier && other->instance == file->instance &&
            other->class->stream->id == file->class->stream->id)
            return decoder->streams[i];
    }
    return NULL;
}

static void add_file(struct decoder *decoder, const struct decoder_folder *folder, size_t first,
                     const struct ctf_file *file) {
    bool earlier = !folder->found;
    struct ctf_stream *stream = find_stream(decoder, first, file, earlier);
    size_t at;

    if (!stream) {
        stream = pinsight_calloc(1, sizeof(*stream));
        stream->base.number = (uint32_t)decoder->stream_count;
        stream->base.earlier = earlier;
        stream->base.account = earlier ? NULL : account_of(decoder, folder->group, file);
        *PINSIGHT_ADD(decoder->streams, decoder->stream_count, decoder->stream_capacity) = stream;
    }
    *PINSIGHT_ADD(stream->files, stream->file_count, stream->file_capacity) = *file;
    for (at = stream->file_count - 1; at && stream->files[at - 1].first_begin > file->first_begin;
         at--)
        stream->files[at] = stream->files[at - 1];
    stream->files[at] = *file;
}

/* Opens one file of a folder; one of a chunk that is being written may be just between two writes.
 */
static enum ctf_file_state open_file(struct ctf_file *file, const struct decoder_folder *folder,
                                     const char *path, int *looks) {
    enum ctf_file_state state = ctf_file_open(file, folder->trace, path);

    while ((state == CTF_FILE_CUT || state == CTF_FILE_LOST || state == CTF_FILE_FOREIGN) &&
           folder->found && pinsight_chunks_is_open(folder->found->folder) &&
           ++*looks < MOST_LOOKS) {
        usleep(LOOK_US);
        ctf_file_close(file);
        state = ctf_file_open(file, folder->trace, path);
    }
    return state;
}

static void take_file(struct decoder *decoder, struct decoder_folder *folder, size_t first,
                      const char *path, int *looks, struct pinsight_source_result *result) {
    struct ctf_file file;
    enum ctf_file_state state = open_file(&file, folder, path, looks);
    bool kept = state == CTF_FILE_WHOLE || (state == CTF_FILE_CUT && folder->found);

    if (state == CTF_FILE_CLOSED && folder->found)
        pinsight_source_warn(result, pinsight_format("%s cannot be read: %s; it is left out", path,
                                                     strerror(errno)));
    if (folder->found)
        warn_of(decoder, folder, &file, state, result);
    folder->damaged |=
        state != CTF_FILE_WHOLE && state != CTF_FILE_EMPTY && state != CTF_FILE_OTHER;
    folder->streams += kept;
    if (kept)
        add_file(decoder, folder, first, &file);
    else
        ctf_file_close(&file);
    /* What is not described may be of the same process. */
    if (state == CTF_FILE_UNKNOWN)
        for (size_t i = first; i < decoder->stream_count; i++)
            decoder->streams[i]->base.account = NULL;
}

/* Names of stream files, in their order. */
static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t list_files(const struct decoder_folder *folder, char ***names) {
    static const char channel[] = "definitions_";
    DIR *dir = opendir(folder->at);
    struct dirent *entry;
    size_t count = 0, capacity = 0;

    *names = NULL;
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0 &&
            (folder->found || !strncmp(entry->d_name, channel, sizeof(channel) - 1))) {
            *names = pinsight_grow(*names, count, &capacity, sizeof(**names));
            (*names)[count++] = pinsight_format("%s/%s", folder->at, entry->d_name);
        }
    if (dir)
        closedir(dir);
    if (count > 1)
        PINSIGHT_SORT(*names, count, by_name);
    return count;
}

static void take_folder(struct decoder *decoder, struct decoder_folder *folder, size_t first,
                        struct pinsight_source_result *result) {
    int looks = 0;
    char **names;
    size_t count;

    if (!folder->trace) {
        if (folder->found)
            give_up(decoder, folder, why_no_metadata(folder->at), result);
        return;
    }
    if (folder->found && folder->damaged) {
        result->damaged_metadata = true;
        pinsight_source_warn(result, pinsight_format("the metadata of %s is damaged; what it still "
                                                     "describes is reported",
                                                     folder->found->folder));
    }
    count = list_files(folder, &names);
    for (size_t i = 0; i < count; i++) {
        take_file(decoder, folder, first, names[i], &looks, result);
        free(names[i]);
    }
    free(names);
    if (folder->found && folder->damaged && !folder->streams)
        give_up(decoder, folder, pinsight_strdup("none of its streams can be read"), result);
}

size_t decoder_find_streams(struct decoder *decoder, struct pinsight_source_result *result) {
    size_t first = 0, readable = 0;

    for (size_t i = 0; i < decoder->folder_count; i++) {
        struct decoder_folder *folder = &decoder->folders[i];

        if (i && folder->group != folder[-1].group)
            first = decoder->stream_count;
        take_folder(decoder, folder, first, result);
        readable += folder->found && folder->trace && (folder->streams || !folder->damaged);
    }
    return readable;
}

void decoder_read(struct decoder *decoder, const struct pinsight_source_options *options,
                  struct pinsight_source_result *result) {
    struct pinsight_merge *merge = &decoder->merge;
    struct pinsight_stream **streams = pinsight_calloc(decoder->stream_count, sizeof(*streams));

    merge->options = options;
    merge->result = result;
    merge->advance = ctf_stream_advance;
    for (size_t i = 0; i < decoder->stream_count; i++)
        streams[i] = &decoder->streams[i]->base;
    result->streams = (uint32_t)decoder->stream_count;
    pinsight_merge_start(merge, streams, decoder->stream_count);
    while (pinsight_merge_some(merge))
        ;
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
    for (size_t i = 0; i < decoder->folder_count; i++)
        if (decoder->folders[i].trace) {
            ctf_trace_clear(decoder->folders[i].trace);
            free(decoder->folders[i].trace);
        }
    free(decoder->folders);
    free(decoder->streams);
    free(decoder->accounts);
    free(decoder->cause);
    *decoder = (struct decoder){0};
}
