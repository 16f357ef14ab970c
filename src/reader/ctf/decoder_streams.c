/* The streams of a decoder's folders, from their files and buffers; see decoder.h. */
#include "reader/ctf/decoder.h"

#include "base/memory.h"
#include "base/order.h"
#include "format/snapshot.h"
#include "reader/ctf/decoder_clocks.h"
#include "reader/ctf/decoder_messages.h"
#include "reader/ctf/decoder_names.h"
#include "reader/ctf/decoder_rings.h"
#include "reader/ctf/index.h"
#include "reader/ctf/instance.h"
#include "reader/ctf/metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns the account of a stream's process. LTTng has a trace for each process. PInsight's files
 * are named after the process, and come sorted by their names. */
static struct pinsight_account *account_of(struct decoder *decoder, size_t group,
                                           const struct ctf_file *file) {
    const char *name = strrchr(file->path, '/') + 1;
    const bool is_ours = tsdl_is(file->trace->tsdl.tracer, "pinsight");
    size_t length = is_ours ? pinsight_instance_length(name) : 0;
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

static uint32_t instance_of(const struct ctf_file *file) {
    const struct tsdl *tsdl = &file->trace->tsdl;

    return pinsight_instance_of(tsdl->has_uuid ? tsdl->uuid : NULL, strrchr(file->path, '/') + 1,
                                tsdl_is(tsdl->tracer, "pinsight"), tsdl->vpid >= 0);
}

/* Returns the stream of the same trace that a file continues, or NULL. `first` is the first stream
 * of its group. */
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

/* Adds a file to a stream, or to the stream that it continues if `stream` is NULL. Returns the
 * stream. */
static struct ctf_stream *add_file(struct decoder *decoder, const struct decoder_folder *folder,
                                   size_t first, struct ctf_stream *stream,
                                   const struct ctf_file *file) {
    bool earlier = !folder->found;
    size_t at;

    if (!stream)
        stream = find_stream(decoder, first, file, earlier);
    if (!stream) {
        stream = pinsight_calloc(1, sizeof(*stream));
        stream->limit = UINT64_MAX;
        stream->base.number = (uint32_t)decoder->stream_count;
        stream->base.earlier = earlier;
        stream->base.event.instance = instance_of(file);
        stream->base.event.account = earlier ? NULL : account_of(decoder, folder->group, file);
        stream->is_ours = decoder_is_ours(folder);
        stream->is_whole = pinsight_streams_find(&folder->noted, strrchr(file->path, '/') + 1);
        *PINSIGHT_ADD(decoder->streams, decoder->stream_count, decoder->stream_capacity) = stream;
    }
    *PINSIGHT_ADD(stream->files, stream->file_count, stream->file_capacity) = *file;
    for (at = stream->file_count - 1; at && stream->files[at - 1].first_begin > file->first_begin;
         at--)
        stream->files[at] = stream->files[at - 1];
    stream->files[at] = *file;
    return stream;
}

/* Opens a file of a folder. Repeats that for a chunk that is being written, whose file may be
 * incomplete between two writes. */
static enum ctf_file_state open_file(struct ctf_file *file, struct decoder_folder *folder,
                                     const char *path, uint64_t most, int *looks) {
    enum ctf_file_state state = ctf_file_open(file, folder->trace, path, most);
    const struct pinsight_packed_member *member =
        state == CTF_FILE_CLOSED && errno == ENOENT ? decoder_find_packed(folder, path) : NULL;

    if (member) {
        ctf_file_close(file);
        return ctf_file_open_packed(file, folder->trace, path, &folder->packed, member);
    }
    while ((state == CTF_FILE_CUT || state == CTF_FILE_LOST || state == CTF_FILE_FOREIGN) &&
           decoder_may_look_again(folder->found, looks)) {
        ctf_file_close(file);
        state = ctf_file_open(file, folder->trace, path, most);
    }
    return state;
}

/* Takes the content of a stream's buffer. Returns false if the file has everything. */
static bool take_snapshot(struct decoder *decoder, struct decoder_folder *folder, const char *path,
                          struct pinsight_snapshot *snapshot,
                          struct pinsight_source_result *result) {
    int error;
    char *shown;

    if (!decoder_is_ours(folder))
        return false;
    error = pinsight_snapshot_take(snapshot, path);
    shown = error ? pinsight_format("%s/%s", folder->found->folder, strrchr(path, '/') + 1) : NULL;
    if (error == EPERM)
        pinsight_source_warn(
            result, pinsight_format("the last events of %s lie outside the trace, which is "
                                    "another user's, or others may write to: the link to "
                                    "them is not followed; read the trace as the user who "
                                    "recorded it",
                                    shown));
    else if (error == EREMOTE)
        pinsight_source_warn(result,
                             pinsight_format("the last events of %s lie on the host that recorded "
                                             "them, in memory or on a local disk: read the trace "
                                             "there once, if that was not started anew",
                                             shown));
    if (error == EPERM || error == EREMOTE) {
        if (!decoder->elsewhere)
            decoder->elsewhere = pinsight_strdup(result->warnings[result->warning_count - 1]);
        folder->damaged = true;
        result->damaged_streams++;
    } else if (error && error != ENOENT && error != ENODATA) {
        pinsight_source_warn(
            result, pinsight_format("the buffer of %s cannot be read: %s; its content is left out",
                                    shown, strerror(error)));
        folder->damaged = true;
        result->damaged_streams++;
    }
    free(shown);
    return !error;
}

/* Adds the content of a buffer after the file of its stream (NULL: no file). Takes ownership of the
 * snapshot. */
static void add_snapshot(struct decoder *decoder, struct decoder_folder *folder, size_t first,
                         struct ctf_stream *stream, const char *path,
                         struct pinsight_snapshot *snapshot,
                         struct pinsight_source_result *result) {
    bool is_alive = snapshot->owner == PINSIGHT_OWNER_ALIVE;
    struct ctf_file file;

    if (snapshot->packets) {
        enum ctf_file_state state = ctf_file_take(&file, folder->trace, path, snapshot->packets,
                                                  snapshot->size, snapshot->mapped);
        if (state == CTF_FILE_WHOLE) {
            folder->streams++;
            stream = add_file(decoder, folder, first, stream, &file);
        } else {
            decoder_warn_of(decoder, folder, &file, state, result);
            folder->damaged = true;
            ctf_file_close(&file);
        }
    }
    if (!stream || !is_alive)
        return;
    stream->limit = folder->limit;
    if (stream->base.event.account) {
        result->living_processes += !stream->base.event.account->goes_on;
        stream->base.event.account->goes_on = true;
    }
}

/* Notes the head of a file's first packet, which has the trace's number, the time, and the thread
 * or the stream. Returns the path of an earlier file with the same head, of which this one is a
 * copy, or NULL. A whole folder may have been copied into the trace. A table finds the head,
 * because a job can have 100,000 files. */
static const char *original_of(struct decoder *decoder, const struct ctf_file *file) {
    size_t known = decoder->heads.count, head = file->class->head_size;
    uint32_t number;

    if (file->size < head)
        return NULL;
    number = pinsight_strings_add(&decoder->heads, (const char *)file->data, head);
    if (number && number < known)
        return file->has_instance || file->class->vtid.there ? decoder->firsts[number] : NULL;
    decoder->firsts =
        pinsight_reach(decoder->firsts, number, &decoder->first_count, sizeof(*decoder->firsts));
    decoder->firsts[number] = file->path;
    return NULL;
}

/* Reports the first copy in a folder; the others are counted. */
static void say_copy(struct decoder_folder *folder, const struct ctf_file *file,
                     const char *original, struct pinsight_source_result *result) {
    char *first = ctf_shown_path(original);

    if (!folder->copies++)
        pinsight_source_warn(result, pinsight_format("%s/%s is a copy of %s; it is left out, and "
                                                     "so are other copies in that folder",
                                                     folder->found->folder,
                                                     strrchr(file->path, '/') + 1, first));
    result->damaged_streams++;
    result->sorted_streams++;
    free(first);
}

/* Returns the size of a stream's file by LTTng's index of its packets, or 0 if there is no sound
 * one. */
static uint64_t indexed(const struct decoder_folder *folder, const char *path) {
    char *name = pinsight_format("%s/index/%s.idx", folder->at, strrchr(path, '/') + 1);
    size_t size;
    unsigned char *data = ctf_small_file(name, &size);
    uint64_t end = 0;

    if (!data || !pinsight_index_end(data, size, &end))
        end = 0;
    free(data);
    free(name);
    return end;
}

/* Returns how many bytes are missing at the end of a stream's file, which has only whole packets.
 * The list of streams, the position of its buffer or an index shows it. */
static uint64_t lacking(const struct decoder_folder *folder, const char *path,
                        const struct ctf_file *file, const struct pinsight_snapshot *snapshot) {
    const struct pinsight_stream_noted *noted =
        pinsight_streams_find(&folder->noted, strrchr(path, '/') + 1);
    uint64_t wanted = snapshot                  ? snapshot->base
                      : noted                   ? noted->bytes
                      : decoder_is_ours(folder) ? 0
                                                : indexed(folder, path);

    /* A file without content is missing; see decoder_warn_of_missing. Duplicates do not make up for
     * missing packets, unless the length was noted with them. */
    return (file->size || !noted) && wanted > file->size && wanted != file->file_size
               ? wanted - file->size
               : 0;
}

static uint64_t noted_packets(const struct decoder_folder *folder, const char *path) {
    const struct pinsight_stream_noted *noted =
        pinsight_streams_find(&folder->noted, strrchr(path, '/') + 1);

    return noted ? noted->packets : 0;
}

static void take_file(struct decoder *decoder, struct decoder_folder *folder, size_t first,
                      const char *path, int *looks, struct pinsight_source_result *result) {
    struct pinsight_snapshot snapshot;
    bool has_more = take_snapshot(decoder, folder, path, &snapshot, result);
    struct ctf_stream *stream = NULL;
    struct ctf_file file;
    enum ctf_file_state state =
        open_file(&file, folder, path, has_more ? snapshot.base : UINT64_MAX, looks);
    const int error = errno;
    bool kept = state == CTF_FILE_WHOLE || (state == CTF_FILE_CUT && folder->found);
    uint64_t lacks = folder->found && state != CTF_FILE_CUT && state != CTF_FILE_LOST
                         ? lacking(folder, path, &file, has_more ? &snapshot : NULL)
                         : 0;

    /* The file of a stream is made when its buffer is first flushed. */
    if (state == CTF_FILE_CLOSED && error == ENOENT && decoder_is_ours(folder))
        state = CTF_FILE_EMPTY;
    if (state == CTF_FILE_CLOSED && folder->found)
        decoder_warn_of_closed(folder, path, error, result);
    if ((state == CTF_FILE_EMPTY || state == CTF_FILE_OTHER) && decoder_is_ours(folder))
        decoder_warn_of_other(folder, path, result);
    if (folder->found)
        decoder_warn_of(decoder, folder, &file, state, result);
    file.lacking = lacks;
    file.noted = folder->found ? noted_packets(folder, path) : 0;
    folder->damaged |=
        (state != CTF_FILE_WHOLE && state != CTF_FILE_EMPTY && state != CTF_FILE_OTHER) || lacks ||
        file.is_disordered;
    folder->streams += kept;
    const char *original = kept && folder->found ? original_of(decoder, &file) : NULL;
    if (original)
        say_copy(folder, &file, original, result);
    if (kept && !original)
        stream = add_file(decoder, folder, first, NULL, &file);
    else
        ctf_file_close(&file);
    if (lacks && !stream) {
        char *name = ctf_shown_path(path);
        ctf_gaps_warn(&(struct ctf_gaps){0}, &(struct ctf_file_end){.lacking_bytes = lacks}, name,
                      result);
        free(name);
    }
    if (has_more)
        add_snapshot(decoder, folder, first, stream, path, &snapshot, result);
    /* Undescribed data may belong to the same process. */
    if (state == CTF_FILE_UNKNOWN)
        for (size_t i = first; i < decoder->stream_count; i++)
            decoder->streams[i]->base.event.account = NULL;
}

static void take_folder(struct decoder *decoder, struct decoder_folder *folder, size_t first,
                        struct pinsight_source_result *result) {
    const bool is_described = !folder->damaged;
    int looks = 0;
    struct decoder_names list;

    if (!folder->trace) {
        if (folder->found && !folder->is_foreign)
            decoder_give_up(decoder, folder, decoder_why_no_metadata(folder), result);
        return;
    }
    if (folder->found && folder->damaged) {
        result->damaged_metadata = true;
        pinsight_source_warn(
            result,
            pinsight_format(
                "the metadata of %s is damaged; the events that it still describes are reported",
                folder->found->folder));
    }
    folder->limit = decoder_is_ours(folder) ? pinsight_snapshot_now(folder->at) : UINT64_MAX;
    if (decoder_is_ours(folder))
        decoder_read_noted(folder);
    list = decoder_list_names(folder, result);
    for (size_t i = 0; i < list.count; i++)
        take_file(decoder, folder, first, list.names[i], &looks, result);
    if (decoder_is_ours(folder)) {
        decoder_warn_of_missing(decoder, folder, result);
    }
    decoder_join_clock(decoder, folder);
    if (decoder_is_ours(folder))
        decoder_find_rings(decoder, folder);
    decoder_free_names(&list);
    if (folder->found && folder->damaged && !folder->streams && !decoder->elsewhere)
        decoder_give_up(decoder, folder,
                        pinsight_strdup(is_described
                                            ? "none of its streams can be read"
                                            : "none of its streams can be read, as its metadata, "
                                              "which describes the events, is damaged"),
                        result);
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
