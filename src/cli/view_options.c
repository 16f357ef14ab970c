/* Options of the verbs that read a trace. */
#include "cli/view_options.h"

#include "base/message.h"
#include "base/words.h"
#include "cli/complaints.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pinsight_option_word(const char *option, const char *value, const char *const *words,
                         int *choice) {
    int index = pinsight_word_index(value, strlen(value), words);
    char complaint[512];

    if (index >= 0) {
        *choice = index;
        return 0;
    }
    pinsight_complaint_word(complaint, sizeof(complaint), option, value, words);
    pinsight_error("%s", complaint);
    return -1;
}

int pinsight_option_number(const char *option, const char *value, int64_t most, int64_t *number) {
    char *end;

    errno = 0;
    *number = strtoll(value, &end, 10);
    if (value[0] >= '0' && value[0] <= '9' && !*end && !errno && *number <= most)
        return 0;
    pinsight_error("%s takes a whole number from 0 to %" PRId64 ", not \"%s\"", option, most,
                   value);
    return -1;
}

int pinsight_option_percent(const char *option, const char *value, double *number) {
    char *end;

    *number = strtod(value, &end);
    if (end != value && *end == '%')
        end++;
    if (end != value && !*end && *number >= 0 && *number <= 100)
        return 0;
    pinsight_error("%s takes a share from 0 to 100 percent, not \"%s\"", option, value);
    return -1;
}

int pinsight_option_error(const char *verb, int kind, char **argv,
                          const struct option *long_options) {
    char complaint[512];

    pinsight_complaint_option(complaint, sizeof(complaint), verb, kind, argv, long_options);
    pinsight_error("%s", complaint);
    return 2;
}

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
