/* Writes CTF for readers of LTTng-UST's traces: the recorded events, with names in each event. Each
 * host has a trace, with a stream for each process. The files that the run left beside the trace
 * are copied, so that PInsight can read the folder, too. */
#include "views/export/ctf.h"

#include "base/memory.h"
#include "format/ring_head.h"
#include "reader/ctf/account.h"
#include "reader/model.h"
#include "reader/subject.h"
#include "views/export/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ctf_host {
    char *folder; /* NULL before the host's first event */
    unsigned char uuid[16];
};

/* The source of the events in one file. */
struct ctf_source {
    /* NULL if it is unknown which events belong to one process. */
    const struct pinsight_account *account;
    uint32_t host, instance;
    int64_t pid;
    uint64_t discarded; /* the account's count at the last event */
};

struct ctf_form {
    struct pinsight_export_folder folder;
    struct pinsight_ctf_names names;
    /* Index of a stream, by instance, by account, or by host and process. */
    struct pinsight_map stream_map;
    struct ctf_source *streams;
    size_t stream_count, stream_capacity;
    struct pinsight_ctf_file *files; /* of the streams */
    size_t file_count, file_capacity;
    struct ctf_host *hosts; /* by number */
    size_t host_count, host_capacity;
    size_t last; /* stream of the previous event */
};

static void fail(struct pinsight_export *export, char *error) {
    export->stop = true;
    if (export->error)
        free(error);
    else
        export->error = error;
}

static struct ctf_host *host_of(struct pinsight_export *export,
                                const struct pinsight_event *event) {
    struct ctf_form *ctf = export->own;
    struct ctf_host *host;
    char *error = NULL;

    while (ctf->host_count <= event->binding->host)
        *PINSIGHT_ADD(ctf->hosts, ctf->host_count, ctf->host_capacity) = (struct ctf_host){0};
    host = &ctf->hosts[event->binding->host];
    if (!host->folder)
        host->folder = pinsight_ctf_folder_make(
            ctf->folder.path, pinsight_strings_text(event->binding->hosts, event->binding->host),
            host->uuid, &error);
    if (error)
        fail(export, error);
    return host->folder ? host : NULL;
}

static bool is_of(const struct ctf_source *stream, const struct pinsight_event *event,
                  int64_t pid) {
    if (stream->instance || event->instance)
        return stream->instance == event->instance && stream->host == event->binding->host;
    return stream->account == event->account &&
           (stream->account || (stream->host == event->binding->host && stream->pid == pid));
}

/* Returns the number of an event's stream, and makes it at its first event. Returns SIZE_MAX after
 * an error. */
static size_t stream_of(struct pinsight_export *export, const struct pinsight_event *event,
                        int64_t pid) {
    struct ctf_form *ctf = export->own;
    uint64_t key = event->instance  ? (uint64_t)event->binding->host << 32 | event->instance
                   : event->account ? (uint64_t)(uintptr_t)event->account
                                    : (uint64_t)pid;
    uint32_t kind = event->instance ? UINT32_MAX : event->account ? 0 : event->binding->host + 1;
    uint32_t number;
    struct ctf_host *host;
    struct pinsight_ctf_file file = {0};

    if (ctf->last < ctf->stream_count && is_of(&ctf->streams[ctf->last], event, pid))
        return ctf->last;
    number = pinsight_map_get(&ctf->stream_map, (uint32_t)key, (uint32_t)(key >> 32), kind);
    if (number == PINSIGHT_MAP_NONE) {
        host = host_of(export, event);
        if (!host)
            return SIZE_MAX;
        number = (uint32_t)ctf->stream_count;
        pinsight_map_set(&ctf->stream_map, (uint32_t)key, (uint32_t)(key >> 32), kind, number);
        *PINSIGHT_ADD(ctf->streams, ctf->stream_count, ctf->stream_capacity) =
            (struct ctf_source){.account = event->account,
                                .host = event->binding->host,
                                .pid = pid,
                                .instance = event->instance};
        /* The file recorder names its files so, too: PROCESS-BEGIN-NUMBER. */
        file.path = pinsight_format("%s/%lld-%x-0", host->folder, (long long)(pid < 0 ? 0 : pid),
                                    (unsigned)number);
        memcpy(file.uuid, host->uuid, sizeof(file.uuid));
        file.instance = number;
        if (export->source.later_chunk)
            pinsight_ctf_file_go_on(&file, export->source.from_ns);
        *PINSIGHT_ADD(ctf->files, ctf->file_count, ctf->file_capacity) = file;
    }
    ctf->last = number;
    return number;
}

/* Returns whether the options select an event. Definitions belong to no thread. */
static bool is_wanted(const struct pinsight_export *export, const struct pinsight_event *event) {
    const struct pinsight_export_options *options = export->options;
    struct pinsight_subject subject;

    if (options->process < 0 && options->thread < 0)
        return true;
    subject = pinsight_subject_of(export->model, event);
    return pinsight_subject_is_of(&subject, options->process,
                                  event->binding->definition ? -1 : options->thread);
}

static void on_event(struct pinsight_export *export, const struct pinsight_event *event) {
    struct ctf_form *ctf = export->own;
    struct pinsight_ctf_event made;
    struct pinsight_ctf_file *file;
    struct ctf_source *stream;
    size_t number;

    pinsight_ctf_name(&ctf->names, export->model, event, &made);
    if (event->earlier)
        made.ns = export->source.from_ns;
    if (made.id == PINSIGHT_EVENT_UNKNOWN || !is_wanted(export, event))
        return;
    number = stream_of(export, event, made.vpid);
    if (number == SIZE_MAX)
        return;
    stream = &ctf->streams[number];
    if (event->account) /* names of an earlier chunk have no account */
        stream->account = event->account;
    file = &ctf->files[number];
    if (stream->account && stream->account->discarded != stream->discarded) {
        pinsight_ctf_file_flush(file, 0);
        file->discarded = stream->discarded = stream->account->discarded;
    }
    pinsight_ctf_file_put(file, &made);
    export->slices++;
    if (file->error) {
        fail(export, file->error);
        file->error = NULL;
    }
}

static int begin(struct pinsight_export *export) {
    struct ctf_form *ctf = export->own;

    return pinsight_export_folder_make(&ctf->folder, export);
}

/* Writes how much a flight recorder dropped, in the recorder's form. The file stands beside the
 * stream, and has the name of its process. The exported trace's clock counts nanoseconds since
 * 1970. */
static bool write_ring(const struct pinsight_ctf_file *file, const struct pinsight_kept *kept) {
    const struct pinsight_ring_head head = {.magic = PINSIGHT_RING_MAGIC,
                                            .version = PINSIGHT_FOLDER_VERSION,
                                            .pid = (int32_t)kept->pid,
                                            .dropped_until = kept->from_ns - 1,
                                            .dropped_bytes = kept->dropped_bytes,
                                            .last = kept->last_ns};
    const char *name = strrchr(file->path, '/') + 1;
    char *path = pinsight_format("%.*s.%.*s-ring", (int)(name - file->path), file->path,
                                 (int)(strrchr(name, '-') - name), name);
    FILE *to = fopen(path, "we");
    bool done = to && fwrite(&head, sizeof(head), 1, to) == 1;

    done = to && fclose(to) == 0 && done;
    free(path);
    return done;
}

/* Writes a file for each process of which only the last part is there. */
static void write_rings(struct pinsight_export *export) {
    const struct ctf_form *ctf = export->own;
    const struct pinsight_source_result *source = &export->source;

    for (size_t k = 0; k < source->kept_count; k++)
        for (size_t i = 0; i < ctf->stream_count; i++)
            if (source->kept[k].from_ns && ctf->streams[i].host == source->kept[k].host &&
                ctf->streams[i].instance == source->kept[k].instance &&
                ctf->streams[i].pid == source->kept[k].pid &&
                !write_ring(&ctf->files[i], &source->kept[k])) {
                fail(export, pinsight_format("the drops of the flight recorder cannot be written "
                                             "beside %s; look whether the disk is full",
                                             ctf->files[i].path));
                return;
            }
}

static int finish(struct pinsight_export *export) {
    struct ctf_form *ctf = export->own;
    uint64_t discarded = export->source.discarded_events,
             packets = export->source.discarded_packets;
    char *error;

    for (size_t i = 0; i < ctf->file_count; i++)
        discarded -= ctf->files[i].discarded < discarded ? ctf->files[i].discarded : discarded;
    for (size_t i = 0; i < ctf->file_count; i++) {
        struct pinsight_ctf_file *file = &ctf->files[i];

        /* Losses without a known process count for the first stream. */
        pinsight_ctf_file_end(file, export->source.until_ns, i ? 0 : discarded, i ? 0 : packets);
        if (file->error) {
            fail(export, file->error);
            file->error = NULL;
        }
    }
    write_rings(export);
    error = pinsight_ctf_copy_run(export->options->trace, ctf->folder.path);
    if (error)
        fail(export, error);
    return export->error ? -1 : pinsight_export_folder_keep(&ctf->folder, export);
}

static void clear(struct pinsight_export *export) {
    struct ctf_form *ctf = export->own;

    for (size_t i = 0; i < ctf->file_count; i++)
        pinsight_ctf_file_clear(&ctf->files[i]);
    for (size_t i = 0; i < ctf->host_count; i++)
        free(ctf->hosts[i].folder);
    pinsight_map_clear(&ctf->stream_map);
    PINSIGHT_FREE(ctf->files, ctf->streams, ctf->hosts);
    pinsight_ctf_names_clear(&ctf->names);
    pinsight_export_folder_clear(&ctf->folder);
}

const struct pinsight_export_format pinsight_export_ctf = {
    PINSIGHT_EXPORT_FORM("ctf", ".ctf",
                         "a folder: babeltrace2, Trace Compass; names in every event",
                         struct ctf_form),
    .counted = "events",
    .folder = true,
    .entries = "trace pinsight-* .pinsight-*",
    .event = on_event,
};
