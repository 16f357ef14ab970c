/* Options of the verbs that read a trace. */
#include "cli/view_options.h"

#include "base/message.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int pinsight_option_trace(const char *verb, int argc, char **argv, const char **trace) {
    if (optind == argc) {
        pinsight_error("which trace? Give the folder that `pinsight run` wrote; "
                       "`pinsight %s --help` has examples",
                       verb);
        return -1;
    }
    if (argc - optind > 1) {
        pinsight_error("one trace at a time, not \"%s\" and \"%s\"", argv[optind],
                       argv[optind + 1]);
        return -1;
    }
    *trace = argv[optind];
    return 0;
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
    if (!quiet && source->discarded_events)
        pinsight_warning("%" PRIu64 " events are missing: the buffers were full; record with "
                         "--lossless, or with a larger --buffer-size",
                         source->discarded_events);
}
