/* What the decoder cannot read, in words; see decoder_say.h. */
#include "reader/ctf/decoder_say.h"

#include "base/memory.h"

#include <errno.h>
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

char *decoder_why_no_metadata(const char *folder) {
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

void decoder_warn_of(struct decoder *decoder, const struct decoder_folder *folder,
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
