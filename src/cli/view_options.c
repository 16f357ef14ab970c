/* Functions for the command lines of the verbs that read a trace; see view_options.h. */
#include "cli/view_options.h"

#include "base/memory.h"
#include "base/message.h"
#include "format/folder.h"
#include "reader/ctf/runs.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the newest trace in this folder, for a command line without one. */
static const char *newest_trace(const char *verb) {
    size_t count;
    char *folder = pinsight_runs_newest(".", &count);
    const char *chosen;

    if (!folder) {
        pinsight_error("which trace? There is none in this folder: give the folder that `pinsight "
                       "run` wrote; `pinsight %s --help` has examples",
                       verb);
        return NULL;
    }
    if (count > 1)
        pinsight_note("%s, the newest of %zu traces in this folder", folder, count);
    else if (strcmp(folder, ".") != 0)
        pinsight_note("%s, the trace in this folder", folder);
    chosen = pinsight_trace_chosen(folder);
    free(folder);
    return chosen;
}

int pinsight_option_trace(const char *verb, int argc, char **argv, const char **trace) {
    if (optind == argc) {
        *trace = newest_trace(verb);
        return *trace ? 0 : -1;
    }
    if (argc - optind > 1) {
        pinsight_error("one trace at a time, not \"%s\" and \"%s\"", argv[optind],
                       argv[optind + 1]);
        return -1;
    }
    *trace = pinsight_trace_chosen(argv[optind]);
    return *trace ? 0 : -1;
}

const char *pinsight_trace_chosen(const char *typed) {
    /* Kept until the end, because later messages name the folder. */
    static struct kept_folder {
        struct kept_folder *next;
        char *folder;
    } * all;
    char *problem = NULL;
    bool known;
    char *folder = pinsight_runs_choose(typed, &known, &problem);
    struct kept_folder *kept;

    if (!folder) {
        pinsight_error("%s", problem);
        free(problem);
        return NULL;
    }
    kept = pinsight_calloc(1, sizeof(*kept));
    *kept = (struct kept_folder){all, folder};
    all = kept;
    return folder;
}

int pinsight_option_write_error(void) {
    if (errno == EPIPE)
        return 0;
    pinsight_error("the output could not be written: %s", strerror(errno));
    return 1;
}

void pinsight_view_warn(const struct pinsight_source_result *source, bool quiet) {
    for (size_t i = 0; i < source->warning_count; i++)
        pinsight_warning("%s", source->warnings[i]);
    if (!quiet && source->discarded_events && source->is_of_files)
        pinsight_warning("%" PRIu64 " event%s missing: %s", source->discarded_events,
                         source->discarded_events == 1 ? " is" : "s are",
                         source->lost.error ? pinsight_file_why_lost(source->lost.error)
                                            : "they could not be written");
    else if (!quiet && source->discarded_events)
        pinsight_warning("%" PRIu64 " event%s missing: the buffers were full; record with "
                         "--lossless, or with a larger --buffer-size",
                         source->discarded_events, source->discarded_events == 1 ? " is" : "s are");
}
