/* Messages about data that the decoder cannot read; see decoder_messages.h. */
#include "reader/ctf/decoder_messages.h"

#include "base/memory.h"
#include "base/safe_files.h"
#include "format/layout.h"
#include "format/snapshot.h"
#include "format/streams.h"
#include "pinsight_version.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void keep_cause(struct decoder *decoder, const char *cause) {
    if (!decoder->cause)
        decoder->cause = pinsight_strdup(cause);
}

void decoder_give_up(struct decoder *decoder, const struct decoder_folder *folder, char *why,
                     struct pinsight_source_result *result) {
    pinsight_source_warn(
        result, pinsight_format("the trace in %s cannot be read: %s", folder->found->folder, why));
    keep_cause(decoder, why);
    free(why);
}

/* Returns the state of a file that is missing as text; NULL if a part of it exists, or if the state
 * is unknown. */
static const char *what_became(const struct decoder_folder *folder, const char *name) {
    char *path = pinsight_format("%s/%s", folder->at, name);
    int fd = pinsight_open_safely(path), error = errno;
    const struct pinsight_packed_member *member = pinsight_packed_find(&folder->packed, name);
    const char *what = NULL;
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && !st.st_size)
        what = "empty";
    else if (fd < 0 && error == ENOENT && member)
        what = member->bytes ? NULL : "empty";
    else if (fd < 0 && error == ENOENT)
        what = lstat(path, &st) == 0 ? "a link to nothing" : "missing";
    else if (fd < 0 && (error == EISDIR || error == ENXIO))
        what = error == EISDIR ? "a folder" : "a pipe or a device";
    if (fd >= 0)
        close(fd);
    free(path);
    return what;
}

char *decoder_why_no_metadata(const struct decoder_folder *folder) {
    char *path = pinsight_format("%s/metadata", folder->at);
    const char *became = what_became(folder, "metadata");
    struct stat st;
    char *why;

    if (became && strcmp(became, "empty") != 0)
        why = pinsight_format("its metadata, which describes the events, is %s", became);
    else if (access(path, R_OK) != 0)
        why = pinsight_format("its metadata cannot be read: %s", strerror(errno));
    else if (folder->refused)
        why = pinsight_format("its metadata, which describes the events, is damaged, or another "
                              "program's (%s): `babeltrace2 %s` may read it",
                              folder->refused, folder->found->folder);
    else if (stat(path, &st) == 0 && st.st_size)
        why = pinsight_strdup("its metadata, which describes the events, is damaged from its "
                              "start");
    else
        why = pinsight_strdup("its metadata, which describes the events, is empty: the recording "
                              "was killed before LTTng wrote it");
    free(path);
    return why;
}

/* Returns the text after a name, or NULL. Later versions may have another form otherwise. */
static const char *value_of(const char *text, const char *name) {
    const char *at = strstr(text, name);

    return at ? at + strlen(name) : NULL;
}

char *decoder_why_newer(const char *folder, const char *text) {
    const char *form = value_of(text, "pinsight_format = ");
    const char *version = value_of(text, "pinsight_version = \"");
    unsigned long number = form ? strtoul(form, NULL, 10) : 0;

    if (number <= PINSIGHT_FOLDER_VERSION || !value_of(text, "tracer_name = \"pinsight\""))
        return NULL;
    return pinsight_format("the trace in %s was recorded by PInsight %.*s in form %lu, and this "
                           "pinsight, %s, knows forms up to %d; read it with that version or a "
                           "later one",
                           folder, version ? (int)strcspn(version, "\"\n") : 1,
                           version ? version : "?", number, PINSIGHT_VERSION,
                           PINSIGHT_FOLDER_VERSION);
}

/* Returns whether a name is that of a stream file. LTTng names it after a channel and a processor
 * (events_0), PInsight after a process. */
static bool is_stream_name(const char *path, const struct ctf_trace *trace) {
    size_t end = strlen(path);
    size_t at = end;

    while (at && path[at - 1] >= '0' && path[at - 1] <= '9')
        at--;
    return tsdl_is(trace->tsdl.tracer, "pinsight") || (at && at < end && path[at - 1] == '_');
}

void decoder_warn_of(struct decoder *decoder, const struct decoder_folder *folder,
                     const struct ctf_file *file, enum ctf_file_state state,
                     struct pinsight_source_result *result) {
    static const char undescribed[] = "its metadata, which describes the events, is damaged";
    char *path = ctf_shown_path(file->path);

    if (file->is_disordered && (file->twice || file->late)) {
        pinsight_source_warn(
            result, pinsight_format("%s has packets out of their place (%" PRIu64 " twice, %" PRIu64
                                    " behind later ones): each is read once, in the "
                                    "order of its time",
                                    path, file->twice, file->late));
        result->damaged_streams++;
        result->sorted_streams++;
    }
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
    free(path);
}

void decoder_read_noted(struct decoder_folder *folder) {
    int at = pinsight_open_folder(AT_FDCWD, folder->at, 0);

    if (at < 0)
        return;
    pinsight_streams_read(at, &folder->noted);
    close(at);
}

/* Returns why a link is not followed. */
static const char *why_not_followed(const char *path) {
    struct stat status;
    bool is_ours = lstat(path, &status) != 0 || status.st_uid == geteuid() || status.st_uid == 0;

    return is_ours ? "it is a link that leads to itself"
                   : "it is a link that another user made, and not followed";
}

void decoder_warn_of_closed(const struct decoder_folder *folder, const char *path, int error,
                            struct pinsight_source_result *result) {
    pinsight_source_warn(
        result, pinsight_format("%s/%s cannot be read: %s; it is left out", folder->found->folder,
                                strrchr(path, '/') + 1,
                                error == ELOOP ? why_not_followed(path) : strerror(error)));
    result->damaged_streams++;
}

void decoder_warn_of_other(struct decoder_folder *folder, const char *path,
                           struct pinsight_source_result *result) {
    const char *name = strrchr(path, '/') + 1, *became;
    char *buffer = pinsight_format(".%s", name);
    bool is_stream = pinsight_buffer_is_name(buffer);

    free(buffer);
    if (!is_stream || pinsight_streams_find(&folder->noted, name))
        return; /* see decoder_warn_of_missing */
    became = what_became(folder, name);
    /* A file is made when its buffer is first written out, and is empty for a moment. */
    if (!became || !strcmp(became, "missing") || !strcmp(became, "empty"))
        return;
    folder->damaged = true;
    result->damaged_streams++;
    pinsight_source_warn(result,
                         pinsight_format("%s/%s is %s, in the place of a stream; it is left out",
                                         folder->found->folder, name, became));
}

void decoder_warn_of_missing(struct decoder *decoder, struct decoder_folder *folder,
                             struct pinsight_source_result *result) {
    const char *first = NULL, *what = NULL;
    size_t count = 0;

    for (size_t i = 0; i < folder->noted.count; i++) {
        const char *became = what_became(folder, folder->noted.all[i].name);
        if (became && !count++) {
            first = folder->noted.all[i].name;
            what = became;
        }
    }
    if (!count)
        return;
    folder->damaged = true;
    result->damaged_streams += (uint32_t)count;
    keep_cause(decoder, "its streams are missing");
    if (count == 1)
        pinsight_source_warn(
            result,
            pinsight_format("%s/%s is %s: it was there when the trace was finished; its content is "
                            "left out, copy it again from the place of the recording",
                            folder->found->folder, first, what));
    else
        pinsight_source_warn(
            result, pinsight_format(
                        "%zu streams of the trace in %s are missing, the first is %s%s%s%s: they "
                        "were there when the trace was finished; their content is left out, copy "
                        "them again from the place of the recording",
                        count, folder->found->folder, first, strcmp(what, "missing") ? " (" : "",
                        strcmp(what, "missing") ? what : "", strcmp(what, "missing") ? ")" : ""));
}
