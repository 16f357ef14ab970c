/* Reading of traces: finds them, decodes them, and says what nothing can be read of. */
#include "reader/ctf/source.h"

#include "base/memory.h"
#include "reader/ctf/decoder_clocks.h"
#include "reader/ctf/decoder_rings.h"

#include <stdlib.h>
#include <string.h>

void pinsight_source_warn(struct pinsight_source_result *result, char *text) {
    *PINSIGHT_ADD(result->warnings, result->warning_count, result->warning_capacity) = text;
}

void pinsight_source_result_clear(struct pinsight_source_result *result) {
    for (size_t i = 0; i < result->warning_count; i++)
        free(result->warnings[i]);
    free(result->warnings);
    for (size_t i = 0; i < result->gap_count; i++)
        free(result->gaps[i].stream);
    free(result->gaps);
    free(result->short_processes);
    free(result->kept);
    free(result->error);
    *result = (struct pinsight_source_result){0};
}

void pinsight_source_nothing(struct pinsight_source_result *result, const char *path,
                             const char *cause) {
    result->error = pinsight_format(
        "the trace in %s cannot be read: %s. Record it again; if the disk was full, free space or "
        "name another folder with -o",
        path,
        cause && !result->damaged_metadata
            ? cause
            : "its metadata, which describes the events, is damaged");
}

bool pinsight_source_is_whole(const struct pinsight_source_result *result) {
    return !result->stopped && !pinsight_source_is_partial(result) && !result->unclear_discards;
}

static int decode(struct decoder *decoder, const char *path,
                  const struct pinsight_source_options *options,
                  struct pinsight_source_result *result) {
    if (!decoder_find_streams(decoder, result)) {
        if (!result->warning_count && !decoder->foreign)
            return 0; /* no process recorded anything */
        if (!result->warning_count)
            result->error = pinsight_format("the trace in %s has no event of PInsight, and is of a "
                                            "form that PInsight does not read; read it with "
                                            "`babeltrace2 %s`",
                                            path, path);
        else if (decoder->elsewhere)
            result->error = pinsight_format("nothing of the trace in %s can be read here: %s", path,
                                            decoder->elsewhere);
        else
            pinsight_source_nothing(result, path, decoder->cause);
        return -1;
    }
    decoder_read(decoder, options, result);
    decoder_report_rings(decoder, result);
    if (pinsight_source_is_whole(result) && !decoder->merge.ended_early)
        decoder_close_accounts(decoder, path, result);
    return 0;
}

static int read_found(const char *path, const struct pinsight_found *found,
                      const struct pinsight_source_options *options,
                      struct pinsight_source_result *result) {
    struct ctf_groups groups = {0};
    struct decoder decoder = {0};
    int rc = -1;

    ctf_groups_make(&groups, found);
    decoder_open(&decoder, &groups);
    decoder.corrections = options->corrections;
    if (options->several_hosts && !decoder_has_hosts(&decoder))
        rc = 0;
    else if (decoder.newer)
        result->error = pinsight_strdup(decoder.newer);
    else
        rc = decode(&decoder, path, options, result);
    decoder_close(&decoder);
    ctf_groups_clear(&groups);
    if (rc == 0 && !result->known_events && result->warning_count && !result->stopped) {
        result->error = pinsight_format("nothing of the trace in %s can be read: its metadata or "
                                        "its streams are damaged; record it again",
                                        path);
        rc = -1;
    }
    if (rc == 0 && result->events && !result->known_events && !result->stopped) {
        result->error =
            pinsight_format("%s holds no event of PInsight's; record a trace with `pinsight "
                            "run`, or read this one with `babeltrace2 %s`",
                            path, path);
        rc = -1;
    }
    return rc;
}

int pinsight_source_read(const char *path, const struct pinsight_source_options *options,
                         struct pinsight_source_result *result) {
    struct pinsight_found found = {0};
    int rc = -1;

    result->error = pinsight_find_traces(path, &found);
    if (!result->error) {
        result->bytes = found.bytes;
        result->is_of_files = found.is_of_files;
        result->lost = found.lost;
        rc = found.count ? read_found(path, &found, options, result) : 0;
    }
    pinsight_found_clear(&found);
    return rc;
}
